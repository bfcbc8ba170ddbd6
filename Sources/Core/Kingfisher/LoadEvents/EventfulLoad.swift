import Synchronization

/// One load and its events. Its iterators hold it; with the last of them it is released and cancels the load.
final class EventfulLoad: Sendable {
    private let source: Source
    private let options: KingfisherOptionsInfo?
    private let manager: KingfisherManager
    private let hasStarted = Atomic(false)
    // The request holds the mailbox, but not this object.
    private let mailbox = EventMailbox()
    private let relay = CancellationRelay()

    init(_ source: Source, _ options: KingfisherOptionsInfo?, _ manager: KingfisherManager) {
        (self.source, self.options, self.manager) = (source, options, manager)
    }

    deinit { relay.cancel() }

    func next() async -> EventMailbox.Taken {
        if !hasStarted.exchange(true, ordering: .relaxed) { start() }
        return await withTaskCancellationHandler {
            await mailbox.next()
        } onCancel: {
            mailbox.drop()
            relay.cancel()
        }
    }

    private func start() {
        guard !Task.isCancelled else {
            return mailbox.finish(with: .failure(.requestError(reason: .asyncTaskContextCancelled)))
        }
        var options = manager.parsedOptions(options)
        options.callbackQueue = .untouch
        var plan = RequestPlan(source, options)
        plan.downloadObserver = EventObserver(mailbox, options: options)
        relay.adopt(manager.retrieveImage(plan) { [mailbox] in mailbox.finish(with: $0) })
    }
}
