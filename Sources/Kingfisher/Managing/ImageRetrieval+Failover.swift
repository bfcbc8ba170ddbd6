import Synchronization

/// What follows when a source has failed: a retry, another source, or the end of the request.
extension ImageRetrieval {
    /// One source's failure.
    private struct Failure: Sendable {
        let retrieval: SourceRetrieval
        let task: DownloadTask?
        let error: KingfisherError

        var entry: PropagationError { PropagationError(source: retrieval.source, error: error) }
    }

    /// Takes one source's outcome: reports it, or goes on as the plan says.
    func end(_ retrieval: SourceRetrieval, task: DownloadTask?, with outcome: Outcome) {
        guard case .failure(let error) = outcome else {
            letGo(of: task)
            return report(outcome)
        }
        let failure = Failure(retrieval: retrieval, task: task, error: error)
        go(on: failure) { $0.step(after: failure.entry) }
    }

    /// The task of one source cancels nothing once the request has left that source; the caller's goes on.
    private func letGo(of task: DownloadTask?) {
        if task !== self.task { task?.end() }
    }

    private func go(on failure: Failure, _ step: @Sendable (inout FailoverPlan) -> FailoverPlan.Step) {
        let isStale = isStale
        let (step, isCancelled) = state.withLock { state -> (FailoverPlan.Step, Bool) in
            guard !isStale, !state.isCancelled else { return (.fail(failure.error), state.isCancelled) }
            return (step(&state.plan), false)
        }
        if case .consult = step, let strategy = options.retryStrategy {
            return consult(strategy, about: failure)
        }
        letGo(of: failure.task)
        switch step {
        case .load(let source):
            advance(to: source)
        case .fail(let error):
            // Cancelled just after this source had failed for a reason of its own.
            let isTooLate = isCancelled && !error.isUserCancellation
            report(.failure(isTooLate ? failure.retrieval.cancellationError(failure.task) : error))
        case .consult:
            // Without a strategy there is no such step.
            report(.failure(failure.error))
        }
    }

    /// Goes on to `source`. A source may fail before its retrieval's start returns, and so may a thousand in
    /// a row: they are started by one loop, not each within the other.
    private func advance(to source: Source) {
        let isAdvancing = state.withLock { state in
            state.next = source
            defer { state.isAdvancing = true }
            return state.isAdvancing
        }
        guard !isAdvancing else { return }
        while let source = takeNext() { begin(source) }
    }

    private func takeNext() -> Source? {
        state.withLock { state in
            defer { state.next = nil }
            state.isAdvancing = state.next != nil
            return state.next
        }
    }

    /// Fetches from a source that stands in for the one asked for, or from that one again.
    private func begin(_ source: Source) {
        let retrieval = SourceRetrieval(of: source, for: self)
        let task = DownloadTask(
            cancelWork: { retrieval.cancel($0) }, whenLinked: { _ in retrieval.announceTask() })
        self.task?.redirectCancel { task.cancel() }
        // Cancelled between the two sources, and let go of.
        if state.withLock(\.isCancelled) { task.cancel() }
        guard !retrieval.isOver else { return }
        retrieval.start(task, from: retrieval.memoryHit)
    }
}

/// Retrying.
extension ImageRetrieval {
    /// Asks `strategy`. Meanwhile both the caller's task and that of the failed source, which the caller may
    /// know as the newest, end the request at once.
    private func consult(_ strategy: any RetryStrategy, about failure: Failure) {
        let first = RetryContext(
            source: originalSource, error: failure.error,
            isForMain: options.isForView || options.callbackQueue.isMain)
        let question = RetryQuestion { [self] in follow($0, about: failure) }
        let context = state.withLock { state in
            state.question = question
            let context = state.retryContext ?? first
            state.retryContext = context
            return context
        }
        context.noteFailure(failure.error)
        let (task, source) = (task, failure.retrieval.source)
        let withdraw: @Sendable () -> Void = { [self, weak failed = failure.task] in
            withdrawQuestion(with: .cancelled(source, task: failed))
        }
        if failure.task !== task { failure.task?.redirectCancel(to: withdraw) }
        task?.redirectCancel { [self] in
            noteCancelled()
            withdraw()
        }
        // Withdrawn already, where the request was cancelled just before.
        question.put(to: strategy, about: context)
    }

    private func follow(_ decision: RetryDecision, about failure: Failure) {
        switch decision {
        case .stop:
            go(on: failure) { $0.step(afterStanding: failure.entry) }
        case .retry(let userInfo):
            let context = state.withLock(\.retryContext)
            context?.noteRetry(userInfo: userInfo)
            KingfisherEvents.report(
                .requestRetried(
                    source: originalSource.eventName, attempt: context?.retriedCount ?? 1,
                    error: failure.error))
            go(on: failure) { [originalSource] plan in
                plan.restart()
                return .load(originalSource)
            }
        }
    }

    /// Ends the request with `error`, if the strategy has not decided yet.
    private func withdrawQuestion(with error: KingfisherError) {
        let (question, context) = state.withLock { ($0.question, $0.retryContext) }
        guard let question, question.withdraw() else { return }
        context?.abandon()
        report(.failure(error))
    }
}
