import Kingfisher
import Synchronization

/// Records every request of a load, in the order of sending.
final class AttemptLog: ImageDownloadRequestModifier {
    private struct State: Sendable {
        var paths: [String] = []
        var lines: [String] = []
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())
    private let didChange: @MainActor @Sendable () -> Void

    init(didChange: @escaping @MainActor @Sendable () -> Void) {
        self.didChange = didChange
    }

    func modified(for request: URLRequest) -> URLRequest? {
        let path = request.url?.path ?? ""
        let attempt = state.withLock { state in
            state.paths.append(path)
            return state.paths.count
        }
        add("request \(attempt): \(path)")
        return request
    }

    func add(_ text: String) {
        let line = String(format: "%.1f s  ", seconds) + text
        state.withLock { $0.lines.append(line) }
        Task { @MainActor in didChange() }
    }

    var seconds: TimeInterval { (ContinuousClock.now - start) / .seconds(1) }

    var paths: [String] { state.withLock(\.paths) }

    var text: String { state.withLock(\.lines).joined(separator: "\n") }
}
