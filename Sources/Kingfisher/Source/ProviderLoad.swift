import Foundation
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
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Asks the provider for its bytes; callback-style providers may answer before this returns.
    func start(
        _ provider: any ImageDataProvider, handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        Self.$current.withValue(self) { provider.data(handler: handler) }
    }

    func adopt(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task
        }?.cancel()
    }
}
