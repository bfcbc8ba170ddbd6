public import Foundation
import KingfisherConcurrency
import Synchronization

/// A provider let go of its handler without calling it, so that its bytes will never come.
struct UnansweredProvider: LocalizedError {
    var errorDescription: String? { "The image data provider dropped its handler without calling it." }
}

/// One load from a provider, so that cancelling it reaches providers written with async/await.
///
/// `ImageDataProvider.data(handler:)` has no way to be cancelled; its default, which runs `data()` in a task,
/// finds the load here and leaves the task with it.
final class ProviderLoad: Sendable {
    @TaskLocal static var current: ProviderLoad?

    private struct State: Sendable {
        var task: Task<Void, Never>?
        /// Opens at the end of `data()`; nil where that does not run.
        var end: Latch?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Asks the provider for its bytes; callback-style providers may answer before this returns.
    func start(
        _ provider: any ImageDataProvider, handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        Self.$current.withValue(self) { provider.data(handler: handler) }
    }

    /// Runs `data()` in a task, unless the load was cancelled before.
    fileprivate func run(
        _ data: @escaping @Sendable () async throws -> Data,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        let end = Latch()
        let mayRun = state.withLock { state in
            if !state.isCancelled { state.end = end }
            return !state.isCancelled
        }
        guard mayRun else { return handler(.failure(CancellationError())) }
        let task = Task {
            let result = await Result(catching: data)
            state.withLock { $0.end = nil }
            handler(result)
            end.open()
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the task in which `data()` runs; returns a latch that opens at its end, where it runs.
    @discardableResult
    func cancel() -> Latch? {
        let (task, end) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.end)
        }
        task?.cancel()
        return end
    }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(catching body: @Sendable () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

extension ImageDataProvider {
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        (ProviderLoad.current ?? ProviderLoad()).run({ try await data() }, handler: handler)
    }
}
