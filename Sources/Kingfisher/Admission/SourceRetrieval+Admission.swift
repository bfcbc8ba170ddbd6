import Foundation

extension ImageRetrieval {
    /// Enters the manager's admission control; nil without a memory budget, and throws `overloaded` where as
    /// many requests wait as may.
    func enterAdmission() throws(KingfisherError) -> AdmissionTicket? {
        try admission?.enter(for: originalSource.eventName, priority: options.downloadPriority)
    }
}

extension SourceRetrieval {
    /// Runs `work` on the processing queue; with a memory budget once there is memory for `item`, which is
    /// given back when it returns. Ends the retrieval where there can be none.
    ///
    /// Nothing runs if the retrieval ends before that. Where the item `isHeld`, its bytes count, too.
    func processing(_ item: ImageProcessItem?, isHeld: Bool = false, _ work: @escaping @Sendable () -> Void) {
        let queue = request.processingQueue
        do throws(KingfisherError) {
            guard let ticket = try request.enterAdmission() else { return queue.execute(work) }
            let held = isHeld ? item?.data?.count ?? 0 : 0
            if held > 0 { ticket.hold(held) }
            untilOver { [weak ticket] in
                ticket?.withdraw()
                return nil
            }
            queue.execute { [self] in
                guard isWanted else { return finish(.failure(notExisting)) }
                // There, because finding it out reads the file's header.
                let bytes = held + (item.map(options.processingMemory) ?? 0)
                let run = { @Sendable in withExtendedLifetime(ticket, work) }
                switch ticket.reserve(total: bytes, resume: { queue.execute(run) }) {
                case .reserved: run()
                case .waits: break
                case .exceedsBudget: finish(.failure(ticket.excess(bytes)))
                }
            }
        } catch {
            finish(.failure(error))
        }
    }
}
