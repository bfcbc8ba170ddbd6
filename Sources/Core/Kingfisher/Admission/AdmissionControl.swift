import Dispatch
import KingfisherTransport
import Synchronization

/// Bounds the memory that all loads of a manager hold together, for response bodies and for decoding.
///
/// An `AdmissionQueue`, a value under a lock, makes the decisions. Waiting loads are resumed outside the
/// lock, on a background queue. Safe from any thread.
final class AdmissionControl: Sendable {
    typealias Resumption = @Sendable () -> Void

    private struct State: Sendable {
        var queue: AdmissionQueue
        var resumptions: [AdmissionQueue.ID: Resumption] = [:]
        var isWatching = false
        var peakSinceTrim = 0
        var isTrimPlanned = false
    }

    /// A transfer is stalled if it receives fewer bytes than this per interval, in seconds. Checked only
    /// while a load waits.
    private static let stall = (interval: 0.5, bytes: 1 << 10)
    /// Bytes by which the reservation of a body of unknown length, or of a stalled one, grows.
    private static let growth = (least: 64 << 10, most: 1 << 20)
    /// Freed memory is returned to the system after `delay` seconds without a load, if at least `threshold`
    /// bytes were reserved.
    private static let trim = (delay: 2.0, threshold: 32 << 20)

    let limits: AdmissionQueue.Limits
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    init(_ limits: AdmissionQueue.Limits) {
        self.limits = limits
        state = Mutex(State(queue: AdmissionQueue(limits)))
    }

    var load: (bytesInFlight: Int, queueLength: Int) {
        state.withLock { ($0.queue.reserved, $0.queue.waiting) }
    }

    func overload(behind transfers: Int = 0) -> KingfisherError {
        let seconds = state.withLock { $0.queue.retryAfter(behind: transfers) }
        return .resourceError(reason: .overloaded(retryAfter: seconds))
    }

    func isWaiting(_ id: AdmissionQueue.ID) -> Bool {
        state.withLock { $0.resumptions[id] != nil }
    }

    var waitingLoads: Int { state.withLock(\.resumptions.count) }

    /// A ticket for a load whose bytes have arrived, for decoding them.
    func enter(
        for source: @escaping @Sendable () -> String, priority: Float
    ) throws(KingfisherError) -> AdmissionTicket {
        let id = state.withLock { $0.queue.enter(priority: priority) }
        report()
        guard let id else { throw refusal(of: source) }
        return AdmissionTicket(id, self, for: source)
    }

    func enterTransfer(for source: @escaping @Sendable () -> String, priority: Float) -> AdmissionTicket {
        AdmissionTicket(state.withLock { $0.queue.enterTransfer(priority: priority) }, self, for: source)
    }

    /// Reports that a load was refused, and returns its error.
    func refusal(of source: () -> String, behind transfers: Int = 0) -> KingfisherError {
        let error = overload(behind: transfers)
        KingfisherEvents.report(.admissionRefused(source: source(), retryAfter: error.retryAfter ?? 0))
        return error
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

    func stopWaiting(_ id: AdmissionQueue.ID, forGood: Bool = false) {
        let (dropped, due) = state.withLock { state in
            state.queue.stopWaiting(id, forGood: forGood)
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

    /// Grants memory to every load that fits now, and schedules later checks. Returns the loads to resume
    /// outside the lock.
    private func settle(_ state: inout State) -> [Due] {
        var due: [Due] = []
        while let id = state.queue.next() {
            if let resume = state.resumptions.removeValue(forKey: id) { due.append((id, resume)) }
        }
        state.peakSinceTrim = max(state.peakSinceTrim, state.queue.reserved)
        if state.queue.hasWaitingLoads, !state.isWatching {
            state.isWatching = true
            after(Self.stall.interval) { $0.reclaim() }
        }
        if state.queue.isIdle, state.peakSinceTrim >= Self.trim.threshold, !state.isTrimPlanned {
            state.isTrimPlanned = true
            after(Self.trim.delay) { $0.trimIfIdle() }
        }
        return due
    }

    private func resumeAll(_ due: [Due]) {
        report()
        guard !due.isEmpty else { return }
        // One block each: with an immediate processing queue, `resume` decodes the image.
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

    private func reclaim() {
        let due = state.withLock { state in
            state.isWatching = false
            state.queue.reclaim(below: Self.stall.bytes)
            return settle(&state)
        }
        resumeAll(due)
    }

    /// Returns freed memory to the system. The allocator retains gigabytes after thousands of bodies.
    private func trimIfIdle() {
        let isDue = state.withLock { state in
            state.isTrimPlanned = false
            guard state.queue.isIdle else { return false }
            state.peakSinceTrim = 0
            return true
        }
        if isDue { AllocatorMemory.trim() }
    }
}
