/// The reservation of one load, which ends when the ticket is released.
///
/// Code that holds the bytes or pixels of a load also holds its ticket.
final class AdmissionTicket: Sendable {
    enum Answer: Sendable {
        case reserved
        case waits
        case refused(KingfisherError)
    }

    private let id: AdmissionQueue.ID
    private let control: AdmissionControl
    private let source: @Sendable () -> String

    /// - Parameter source: The name of the load for events, called if it is refused.
    init(_ id: AdmissionQueue.ID, _ control: AdmissionControl, for source: @escaping @Sendable () -> String) {
        self.id = id
        self.control = control
        self.source = source
    }

    deinit { control.leave(id) }

    var limits: AdmissionQueue.Limits { control.limits }

    func excess(_ bytes: Int) -> KingfisherError {
        .resourceError(reason: .memoryBudgetExceeded(required: bytes, budget: limits.budget))
    }

    var isWaiting: Bool { control.isWaiting(id) }

    var overload: KingfisherError { control.overload() }

    /// The error of a load that is refused because `transfers` wait for a slot.
    func refusal(behind transfers: Int) -> KingfisherError { control.refusal(of: source, behind: transfers) }

    /// Changes the reservation to `total` bytes. If the load has to wait, `resume` is called later, on a
    /// background queue.
    func reserve(total: Int, resume: @escaping @Sendable () -> Void) -> Answer {
        answer(control.reserve(id, total: total, resume: resume), total)
    }

    /// Reserves memory for more bytes of a body. Takes one lock if they are reserved already.
    ///
    /// - Parameters:
    ///   - total: The bytes of memory needed next.
    ///   - received: The bytes of the body received so far.
    ///   - held: The bytes of memory in use for them.
    ///   - expected: The length of the body, if known.
    func receive(
        upTo total: Int, after received: Int, held: Int, of expected: Int?,
        resume: @escaping @Sendable () -> Void
    ) -> Answer {
        let made = control.receive(id, upTo: total, after: received, held: held, of: expected, resume: resume)
        return answer(made, total)
    }

    private func answer(_ made: AdmissionQueue.Answer, _ bytes: Int) -> Answer {
        switch made {
        case .reserved: .reserved
        case .waits: .waits
        case .exceedsBudget: .refused(excess(bytes))
        case .queueIsFull: .refused(refusal(behind: 0))
        }
    }

    func shrink(to total: Int) { control.shrink(id, to: total) }

    func hold(_ bytes: Int) { control.hold(id, bytes) }

    /// Notes the end of the transfer, so that it no longer counts as stalled.
    func endTransfer() { control.endTransfer(id) }

    /// Ends a wait. `resume` is released without a call.
    func stopWaiting() { control.stopWaiting(id) }

    /// Stops waiting, now and later. `resume` is released without a call.
    func withdraw() { control.stopWaiting(id, forGood: true) }
}
