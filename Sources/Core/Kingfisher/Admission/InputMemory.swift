import Synchronization

/// The memory that an input uses in a budget: its bytes, the images made of it, and the pixels that are being
/// decoded, of one image at a time. Safe from any thread.
final class InputMemory: Sendable {
    let ticket: AdmissionTicket
    /// The bytes that count in addition to the pixels when a decode is refused.
    private let required: Int
    /// In bytes, with the images made so far.
    private let held: Atomic<Int>

    /// - Parameters:
    ///   - held: The bytes of memory that the input holds, which `ticket` counts already.
    ///   - required: The same without spare capacity; nil if there is none.
    init(_ ticket: AdmissionTicket, holding held: Int, required: Int? = nil) {
        self.ticket = ticket
        self.required = required ?? held
        self.held = Atomic(held)
    }

    /// Reserves memory for `pixels` bytes. If the decode has to wait, `resume` is called later, on a
    /// background queue.
    func reserve(_ pixels: Int, resume: @escaping @Sendable () -> Void) -> AdmissionTicket.Answer {
        let need = required + pixels
        guard need <= ticket.limits.budget else { return .refused(ticket.excess(need)) }
        // Spare capacity and images of other requests must not make this image exceed the budget.
        let total = min(held.load(ordering: .relaxed) + pixels, ticket.limits.budget)
        return ticket.reserve(total: total, resume: resume)
    }

    /// Keeps only what the input and its images hold; `image` is the size of a new one in bytes.
    func keep(_ image: Int) {
        ticket.shrink(to: held.add(image, ordering: .relaxed).newValue)
    }
}
