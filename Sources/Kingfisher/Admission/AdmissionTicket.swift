/// The reservation of one load, which ends when the ticket is released.
///
/// Code that holds the bytes or pixels of a load also holds its ticket.
final class AdmissionTicket: Sendable {
    private let id: AdmissionQueue.ID
    private let control: AdmissionControl

    init(_ id: AdmissionQueue.ID, _ control: AdmissionControl) {
        self.id = id
        self.control = control
    }

    deinit { control.leave(id) }

    var budget: Int { control.limits.budget }

    func excess(_ bytes: Int) -> KingfisherError {
        .resourceError(reason: .memoryBudgetExceeded(required: bytes, budget: budget))
    }

    var isWaiting: Bool { control.isWaiting(id) }

    var overload: KingfisherError { control.overload }

    /// Changes the reservation to `total` bytes. If the load has to wait, `resume` is called later, on a
    /// background queue.
    func reserve(total: Int, resume: @escaping @Sendable () -> Void) -> AdmissionQueue.Answer {
        control.reserve(id, total: total, resume: resume)
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
    ) -> AdmissionQueue.Answer {
        control.receive(id, upTo: total, after: received, held: held, of: expected, resume: resume)
    }

    func shrink(to total: Int) { control.shrink(id, to: total) }

    func hold(_ bytes: Int) { control.hold(id, bytes) }

    /// Notes the end of the transfer, so that it no longer counts as stalled.
    func endTransfer() { control.endTransfer(id) }

    /// Stops waiting, now and later. `resume` is released without a call.
    func withdraw() { control.withdraw(id) }
}
