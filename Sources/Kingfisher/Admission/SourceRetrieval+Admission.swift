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
    /// Nothing runs if the retrieval ends before that. Where the item `isHeld`, its bytes count, too, from
    /// now on.
    func processing(_ item: ImageProcessItem?, isHeld: Bool = false, _ work: @escaping @Sendable () -> Void) {
        let queue = request.processingQueue
        guard request.admission != nil else { return queue.execute(work) }
        do throws(KingfisherError) {
            let held = isHeld ? item?.data?.count ?? 0 : 0
            let ticket = held > 0 ? try request.enterAdmission() : nil
            ticket?.hold(held)
            // A request that waits for the queue waits for no memory yet, and what it needs is in the file's
            // header, which is not for this thread to read.
            queue.execute { [self] in admit(item, holding: held, with: ticket, on: queue, work) }
        } catch {
            finish(.failure(error))
        }
    }

    private func admit(
        _ item: ImageProcessItem?, holding held: Int, with early: AdmissionTicket?, on queue: CallbackQueue,
        _ work: @escaping @Sendable () -> Void
    ) {
        guard !isOver else { return }
        do throws(KingfisherError) {
            let ticket = if let early { early } else { try request.enterAdmission() }
            guard let ticket else { return work() }
            untilOver { [weak ticket] in
                ticket?.withdraw()
                return nil
            }
            let bytes = held + (item.map(options.processingMemory) ?? 0)
            let run = { @Sendable in withExtendedLifetime(ticket, work) }
            switch ticket.reserve(total: bytes, resume: { queue.execute(run) }) {
            case .reserved: run()
            case .waits: break
            case .exceedsBudget: finish(.failure(ticket.excess(bytes)))
            }
        } catch {
            finish(.failure(error))
        }
    }
}
