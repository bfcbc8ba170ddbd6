import Synchronization

/// Bounds how long callers of a tier wait, even if the tier ignores cancellation.
enum Deadline {
    /// Returns the value of `work`, or throws `TierError.deadline` or `.cancelled` and cancels `work`. A
    /// value that `work` returns after that goes to `late`. Both run on `executor`, unless the environment
    /// has one.
    static func limit<Value: Sendable>(
        _ limit: Duration, in environment: TierEnvironment, on executor: (any TaskExecutor)?,
        _ work: @escaping @Sendable () async throws(TierError) -> Value,
        late: @escaping @Sendable (Value) async -> Void = { _ in }
    ) async throws(TierError) -> Value {
        let race = Race<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                race.begin(continuation)
                race.run(
                    Task(executorPreference: environment.executor ?? executor) {
                        let result = await Self.result(work)
                        if !race.end(result), case .success(let value) = result { await late(value) }
                    })
                environment.schedule(limit) { [weak race] in race?.stop(.deadline) }
            }
        } onCancel: {
            race.stop(.cancelled)
        }
        return try result.get()
    }

    private static func result<Value>(
        _ work: () async throws(TierError) -> Value
    ) async -> Result<Value, TierError> {
        do throws(TierError) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}

/// Resumes a continuation once, with the first of several outcomes.
private final class Race<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, TierError>

    private struct State: Sendable {
        var continuation: CheckedContinuation<Outcome, Never>?
        var work: Task<Void, Never>?
        var stopped: TierError?
        var isOver = false
    }

    private let state = Mutex(State())

    func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
        let stopped = state.withLock { state in
            if state.stopped == nil { state.continuation = continuation }
            return state.stopped
        }
        if let stopped { continuation.resume(returning: .failure(stopped)) }
    }

    func run(_ work: Task<Void, Never>) {
        let isStopped = state.withLock { state in
            if !state.isOver { state.work = work }
            return state.stopped != nil
        }
        if isStopped { work.cancel() }
    }

    /// Returns whether `outcome` was the first.
    func end(_ outcome: Outcome) -> Bool {
        let continuation = state.withLock { state in
            (state.isOver, state.work) = (true, nil)
            return state.continuation.take()
        }
        continuation?.resume(returning: outcome)
        return continuation != nil
    }

    func stop(_ error: TierError) {
        let (continuation, work) = state.withLock { state in
            if !state.isOver, state.stopped == nil { state.stopped = error }
            return (state.continuation.take(), state.work.take())
        }
        continuation?.resume(returning: .failure(error))
        work?.cancel()
    }
}
