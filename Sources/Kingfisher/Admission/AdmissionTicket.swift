/// One load's share of the budget; letting go of it gives the share back.
///
/// A ticket goes along with its bytes and pixels, until the load has dropped them.
final class AdmissionTicket: Sendable {
    private let id: AdmissionQueue.ID
    private let control: AdmissionControl

    init(_ id: AdmissionQueue.ID, _ control: AdmissionControl) {
        self.id = id
        self.control = control
    }

    deinit { control.leave(id) }

    var budget: Int { control.limits.budget }

    /// The error of a load that needs `bytes`, more than the budget.
    func excess(_ bytes: Int) -> KingfisherError {
        .resourceError(reason: .memoryBudgetExceeded(required: bytes, budget: budget))
    }

    /// Whether the load waits for memory.
    var isWaiting: Bool { control.isWaiting(id) }

    /// The error of a load that has waited too long.
    var overload: KingfisherError { control.overload }

    /// Reserves `total` bytes in place of what is held; where they have to be waited for, `resume` is called
    /// once they are there, on a background queue.
    func reserve(total: Int, resume: @escaping @Sendable () -> Void) -> AdmissionQueue.Answer {
        control.reserve(id, total: total, resume: resume)
    }

    /// The same for a body that has come as far as `received` of the `expected` bytes and holds `held` bytes
    /// of memory, which are about to be `total`. Costs one lock where there is room.
    func receive(
        upTo total: Int, after received: Int, held: Int, of expected: Int?,
        resume: @escaping @Sendable () -> Void
    ) -> AdmissionQueue.Answer {
        control.receive(id, upTo: total, after: received, held: held, of: expected, resume: resume)
    }

    /// Gives back what is held beyond `total` bytes.
    func shrink(to total: Int) { control.shrink(id, to: total) }

    /// Counts bytes that the load comes with.
    func hold(_ bytes: Int) { control.hold(id, bytes) }

    /// Notes that no more of a body comes: however long what follows takes, it is not stalled.
    func endTransfer() { control.endTransfer(id) }

    /// Stops waiting, now and later: `resume` is dropped without a call.
    func withdraw() { control.withdraw(id) }
}
