public import Foundation
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
        /// The end of `data()`, while that runs.
        var ending: Ending?
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
        let ending = Ending()
        let mayRun = state.withLock { state in
            if !state.isCancelled { state.ending = ending }
            return !state.isCancelled
        }
        guard mayRun else { return handler(.failure(CancellationError())) }
        let task = Task {
            let result = await Result(catching: data)
            state.withLock { $0.ending = nil }
            handler(result)
            ending.end()
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the task in which `data()` runs; returns its end where it does.
    @discardableResult
    func cancel() -> Ending? {
        let (task, ending) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.ending)
        }
        task?.cancel()
        return ending
    }
}

/// The end of something that was told to end. Safe from any thread.
final class Ending: Sendable {
    private struct State: Sendable {
        var isOver = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Has `follow` called at the end: at once if that has come.
    func then(_ follow: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting.append(follow) }
            return state.isOver
        }
        if isOver { follow() }
    }

    fileprivate func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for follow in waiting { follow() }
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
