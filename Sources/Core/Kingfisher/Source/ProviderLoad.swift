public import Foundation
import KingfisherConcurrency
import Synchronization

struct UnansweredProvider: LocalizedError {
    var errorDescription: String? { "The image data provider dropped its handler without calling it." }
}

/// One load from a provider. Passes cancellation on to providers that use async/await.
///
/// `ImageDataProvider.data(handler:)` cannot be cancelled. Its default implementation, which runs `data()` in
/// a task, registers that task with the current load.
final class ProviderLoad: Sendable {
    @TaskLocal static var current: ProviderLoad?

    private struct State: Sendable {
        var task: Task<Void, Never>?
        var end: Latch?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Requests the bytes of the provider. `handler` may be called before this returns.
    func start(
        _ provider: any ImageDataProvider, handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        Self.$current.withValue(self) { provider.data(handler: handler) }
    }

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

    /// Cancels the task that runs `data()`. Returns a latch that opens at its end; nil if it is not running.
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
