import Dispatch
import KingfisherTransport
import Synchronization

/// Bounds the memory that a manager's loads hold at a time: bodies that come in, and pixels that are decoded.
///
/// The decisions are `AdmissionQueue`'s, a value under a lock; what waits is resumed outside the lock, on a
/// background queue. Safe from any thread.
final class AdmissionControl: Sendable {
    typealias Resumption = @Sendable () -> Void

    private struct State: Sendable {
        var queue: AdmissionQueue
        var resumptions: [AdmissionQueue.ID: Resumption] = [:]
        /// A look at stalled transfers is planned.
        var isWatching = false
        /// The most that was reserved since freed memory was given back.
        var peak = 0
        var isTrimPlanned = false
    }

    /// A transfer that brings fewer bytes than this between two looks is stalled; one looks while a load
    /// waits.
    private static let stall = (interval: 0.5, bytes: 1 << 10)
    /// By how much a reservation grows for a body whose length is not known, or that has stalled.
    private static let growth = (least: 64 << 10, most: 1 << 20)
    /// Freed memory goes back to the system after so many seconds without a load, if this much was in use.
    private static let trim = (delay: 2.0, threshold: 32 << 20)

    let limits: AdmissionQueue.Limits
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    init(_ limits: AdmissionQueue.Limits) {
        self.limits = limits
        state = Mutex(State(queue: AdmissionQueue(limits)))
    }

    /// Bytes reserved, and loads that wait for their first ones.
    var load: (bytesInFlight: Int, queueLength: Int) {
        state.withLock { ($0.queue.reserved, $0.queue.waiting) }
    }

    /// The error of a load that finds no room, or finds it too late.
    var overload: KingfisherError {
        .resourceError(reason: .overloaded(retryAfter: state.withLock(\.queue.retryAfter)))
    }

    func isWaiting(_ id: AdmissionQueue.ID) -> Bool {
        state.withLock { $0.resumptions[id] != nil }
    }

    /// Loads that wait for memory, the ones that hold some included.
    var heldLoads: Int { state.withLock(\.resumptions.count) }

    /// Lets a load in, which holds nothing yet; throws `overloaded` when as many wait as may.
    func enter(
        for source: @autoclosure () -> String, priority: Float
    ) throws(KingfisherError) -> AdmissionTicket {
        let id = state.withLock { $0.queue.enter(priority: priority) }
        report()
        guard let id else {
            let error = overload
            KingfisherEvents.report(
                .admissionRefused(source: source(), retryAfter: error.retryAfter ?? 0))
            throw error
        }
        return AdmissionTicket(id, self)
    }

    func reserve(
        _ id: AdmissionQueue.ID, total: Int, resume: @escaping Resumption
    ) -> AdmissionQueue.Answer {
        change(id, resume) { $0.reserve(id, total: total) }
    }

    func receive(
        _ id: AdmissionQueue.ID, upTo total: Int, after received: Int, held: Int, of expected: Int?,
        resume: @escaping Resumption
    ) -> AdmissionQueue.Answer {
        let hasRoom = state.withLock { state in
            state.queue.note(.init(received: received, held: held), by: id)
            return total <= state.queue.reservation(of: id)
        }
        guard !hasRoom else { return .reserved }
        let step = min(max(total, Self.growth.least), Self.growth.most)
        let wanted = max(total, min(total + step, expected ?? .max, limits.budget))
        return change(id, resume) { $0.reserve(id, total: wanted) }
    }

    /// Changes one load's reservation; `resume` is called later where it has to wait.
    private func change(
        _ id: AdmissionQueue.ID, _ resume: @escaping Resumption,
        _ body: (inout AdmissionQueue) -> AdmissionQueue.Answer
    ) -> AdmissionQueue.Answer {
        let (answer, due) = state.withLock { state in
            var answer = body(&state.queue)
            if state.queue.isWaiting(id) { state.resumptions[id] = resume }
            var due = settle(&state)
            if let own = due.firstIndex(where: { $0.id == id }) {
                due.remove(at: own)
                answer = .reserved
            }
            return (answer, due)
        }
        resumeAll(due)
        return answer
    }

    func shrink(_ id: AdmissionQueue.ID, to total: Int) {
        let due = state.withLock { state in
            if total < state.queue.reservation(of: id) { _ = state.queue.reserve(id, total: total) }
            return settle(&state)
        }
        resumeAll(due)
    }

    func hold(_ id: AdmissionQueue.ID, _ bytes: Int) {
        let due = state.withLock { state in
            state.queue.hold(id, bytes)
            return settle(&state)
        }
        resumeAll(due)
    }

    func endTransfer(_ id: AdmissionQueue.ID) {
        state.withLock { $0.queue.note(nil, by: id) }
    }

    func withdraw(_ id: AdmissionQueue.ID) {
        let (dropped, due) = state.withLock { state in
            state.queue.withdraw(id)
            return (state.resumptions.removeValue(forKey: id), settle(&state))
        }
        withExtendedLifetime(dropped) { resumeAll(due) }
    }

    func leave(_ id: AdmissionQueue.ID) {
        let time = (ContinuousClock.now - start).seconds
        let (dropped, due) = state.withLock { state in
            state.queue.leave(id, at: time)
            return (state.resumptions.removeValue(forKey: id), settle(&state))
        }
        withExtendedLifetime(dropped) { resumeAll(due) }
    }
}

extension AdmissionControl {
    private typealias Due = (id: AdmissionQueue.ID, resume: Resumption)

    /// Gives memory to every load that may have it now, and plans what is to be looked at later.
    private func settle(_ state: inout State) -> [Due] {
        var due: [Due] = []
        while let id = state.queue.next() {
            if let resume = state.resumptions.removeValue(forKey: id) { due.append((id, resume)) }
        }
        state.peak = max(state.peak, state.queue.reserved)
        if state.queue.isShort, !state.isWatching {
            state.isWatching = true
            after(Self.stall.interval) { $0.reclaim() }
        }
        if state.queue.isIdle, state.peak >= Self.trim.threshold, !state.isTrimPlanned {
            state.isTrimPlanned = true
            after(Self.trim.delay) { $0.trimIfIdle() }
        }
        return due
    }

    private func resumeAll(_ due: [Due]) {
        report()
        guard !due.isEmpty else { return }
        // Each by itself: on an immediate processing queue the first one decodes here.
        for load in due { DispatchQueue.global().async(execute: load.resume) }
    }

    private func report() {
        guard KingfisherEvents.isObserved else { return }
        let load = load
        KingfisherEvents.report(
            .admissionChanged(
                bytesInFlight: load.bytesInFlight, queueLength: load.queueLength, budget: limits.budget))
    }

    private func after(_ seconds: Double, _ act: @escaping @Sendable (AdmissionControl) -> Void) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + seconds) { [weak self] in
            if let self { act(self) }
        }
    }

    /// While a load waits, what stalled transfers hold for nothing is lent to others.
    private func reclaim() {
        let due = state.withLock { state in
            state.isWatching = false
            state.queue.reclaim(below: Self.stall.bytes)
            return settle(&state)
        }
        resumeAll(due)
    }

    /// The allocator keeps what thousands of bodies have left behind: gigabytes, until it is asked.
    private func trimIfIdle() {
        let isDue = state.withLock { state in
            state.isTrimPlanned = false
            guard state.queue.isIdle else { return false }
            state.peak = 0
            return true
        }
        if isDue { AllocatorMemory.trim() }
    }
}
