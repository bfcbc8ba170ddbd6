import Foundation

extension ImageRetrieval {
    /// Enters the manager's admission control; nil without a memory budget, and throws `overloaded` where as
    /// many requests wait as may.
    func enterAdmission() throws(KingfisherError) -> AdmissionTicket? {
        try admission?.enter(for: originalSource.eventName, priority: options.downloadPriority)
    }
}

extension SourceRetrieval {
    /// Runs `work` on the processing queue; with a memory budget once there are `bytes` for it, which are
    /// given back when it returns. Ends the retrieval where there can be none.
    ///
    /// Nothing runs if the retrieval ends before that. Of the `bytes`, so many are `held` already.
    func processing(in bytes: Int, held: Int = 0, _ work: @escaping @Sendable () -> Void) {
        let queue = request.processingQueue
        do throws(KingfisherError) {
            guard let ticket = try request.enterAdmission() else { return queue.execute(work) }
            let run: @Sendable () -> Void = { queue.execute { withExtendedLifetime(ticket, work) } }
            if held > 0 { ticket.hold(held) }
            untilOver { [weak ticket] in
                ticket?.withdraw()
                return nil
            }
            switch ticket.reserve(total: bytes, resume: run) {
            case .reserved: run()
            case .waits: break
            case .exceedsBudget: finish(.failure(ticket.excess(bytes)))
            }
        } catch {
            finish(.failure(error))
        }
    }
}
