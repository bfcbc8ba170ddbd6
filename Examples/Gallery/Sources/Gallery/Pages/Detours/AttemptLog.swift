import Kingfisher
import Synchronization

/// Takes note of every request of a load, in the order in which they are sent.
final class AttemptLog: ImageDownloadRequestModifier {
    private struct State: Sendable {
        var paths: [String] = []
        var lines: [String] = []
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())
    private let didChange: @MainActor @Sendable () -> Void

    /// `didChange` is called after each new line.
    init(didChange: @escaping @MainActor @Sendable () -> Void) {
        self.didChange = didChange
    }

    func modified(for request: URLRequest) -> URLRequest? {
        let path = request.url?.path ?? ""
        let attempt = state.withLock { state in
            state.paths.append(path)
            return state.paths.count
        }
        note("request \(attempt): \(path)")
        return request
    }

    func note(_ text: String) {
        let line = String(format: "%.1f s  ", seconds) + text
        state.withLock { $0.lines.append(line) }
        Task { @MainActor in didChange() }
    }

    /// Since the load began.
    var seconds: TimeInterval { (ContinuousClock.now - start) / .seconds(1) }

    /// What was asked for.
    var paths: [String] { state.withLock(\.paths) }

    /// The story so far, a line for each event.
    var text: String { state.withLock(\.lines).joined(separator: "\n") }
}
