import Synchronization

/// The memory that an input uses in a budget: its bytes, the images made of it, and the pixels that are being
/// decoded. One decode at a time, because a load has one reservation. Safe from any thread.
final class InputMemory: Sendable {
    private struct State: Sendable {
        /// In bytes, with the images made so far.
        var held: Int
        var isTaken = false
        var waiting: [@Sendable (Turn) -> Void] = []
    }

    let ticket: AdmissionTicket
    /// The bytes that count in addition to the pixels when a decode is refused.
    private let required: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - held: The bytes of memory that the input holds, which `ticket` counts already.
    ///   - required: The same without spare capacity; nil if there is none.
    init(_ ticket: AdmissionTicket, holding held: Int, required: Int? = nil) {
        self.ticket = ticket
        self.required = required ?? held
        state = Mutex(State(held: held))
    }

    /// Calls `start` when no other decode of the input has its turn: now on this thread, or later on `queue`.
    func enqueue(on queue: @escaping WorkQueue, _ start: @escaping @Sendable (Turn) -> Void) {
        let isFree = state.withLock { state in
            defer { state.isTaken = true }
            if state.isTaken { state.waiting.append { turn in queue { start(turn) } } }
            return !state.isTaken
        }
        if isFree { start(Turn(self)) }
    }

    private func endTurn() {
        let next = state.withLock { state -> (@Sendable (Turn) -> Void)? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isTaken = false
            return nil
        }
        next?(Turn(self))
    }

    /// The turn of one decode, which ends when it is released.
    final class Turn: Sendable {
        private let memory: InputMemory

        fileprivate init(_ memory: InputMemory) { self.memory = memory }

        deinit { memory.endTurn() }

        /// Reserves memory for `pixels` bytes. If the decode has to wait, `resume` is called later, on a
        /// background queue.
        func reserve(_ pixels: Int, resume: @escaping @Sendable () -> Void) -> AdmissionTicket.Answer {
            let (ticket, budget) = (memory.ticket, memory.ticket.limits.budget)
            let need = memory.required + pixels
            guard need <= budget else { return .refused(ticket.excess(need)) }
            // Spare capacity and images of other requests must not make this image exceed the budget.
            let total = min(memory.state.withLock(\.held) + pixels, budget)
            return ticket.reserve(total: total, resume: resume)
        }

        /// Keeps only what the input and its images hold, `bytes` of which are new.
        func keep(_ bytes: Int) {
            let held = memory.state.withLock { state in
                state.held += bytes
                return state.held
            }
            memory.ticket.shrink(to: held)
        }

        /// Ends the wait for memory, if there is one; `resume` is released without a call.
        func stopWaiting() { memory.ticket.stopWaiting() }
    }
}
