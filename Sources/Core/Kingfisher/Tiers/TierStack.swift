import Foundation
package import KingfisherStorage
import KingfisherTransport
import Synchronization

/// The tiers of a manager, in the order of lookup.
///
/// Reads are bounded by the tiers' deadlines and never fail: an error is a miss. Each tier has a bounded
/// write queue. Safe from any thread.
package final class TierStack: Sendable {
    package enum ReadOutcome: Sendable {
        case hit(TierEntry)
        /// An entry to deliver now; if there are leases, the request replaces it afterwards.
        case stale(TierEntry, TierLeases)
        case negative(TierFailure)
        /// No entry; the leases are for writing a new one.
        case absent(TierLeases?)
    }

    package let tiers: [any CacheTier]
    private let queues: [TierWriteQueue]
    private let environment: TierEnvironment

    /// Pauses between reads of a busy tier: 775 ms in all, each with a jitter of 20 %.
    private static let pauses: [Duration] = [25, 50, 100, 200, 400].map { .milliseconds($0) }

    package init(_ tiers: [any CacheTier], environment: TierEnvironment = TierEnvironment()) {
        self.tiers = tiers
        self.environment = environment
        queues = tiers.map { TierWriteQueue($0, environment: environment) }
    }

    var keepsOriginals: Bool { tiers.contains { $0.keepsOriginals } }

    /// Reads one tier after the other. A hit is written to the tiers above it.
    package func read(
        _ key: TierKey, originals: Bool = false, by clock: any StorageClock
    ) async -> ReadOutcome {
        let leases = TierLeases(key, environment: environment)
        for (index, tier) in tiers.enumerated() where !originals || tier.keepsOriginals {
            switch await reading(of: key, from: tier, by: clock) {
            case .hit(let entry)?:
                for above in 0..<index where !originals || tiers[above].keepsOriginals {
                    queues[above].write(entry, for: key, lease: leases.take(above))
                }
                return .hit(entry)
            case .stale(let entry, let renewal)?:
                if let renewal { leases.add(renewal, of: tier, at: index) }
                return .stale(entry, leases)
            case .absent(let lease)?:
                if let lease { leases.add(lease, of: tier, at: index) }
            case .negative(let failure)?: return .negative(failure)
            case .busy?, nil: break
            }
        }
        return .absent(leases)
    }

    package func write(
        _ entry: TierEntry, for key: TierKey, leases: TierLeases?, originals: Bool = false
    ) {
        for (index, tier) in tiers.enumerated() where !originals || tier.keepsOriginals {
            queues[index].write(entry, for: key, lease: leases?.take(index))
        }
    }

    /// Writes that the source has no image. Leases of tiers that are not written are released by their owner.
    package func write(
        _ failure: TierFailure, for key: TierKey, leases: TierLeases?, originals: Bool = false
    ) {
        for (index, tier) in tiers.enumerated() where !originals || tier.keepsOriginals {
            queues[index].write(failure, for: key, lease: leases?.take(index))
        }
    }

    private func reading(
        of key: TierKey, from tier: any CacheTier, by clock: any StorageClock
    ) async -> TierReading? {
        let lookup = TierLookup(key: key, tier: tier, clock: clock, environment: environment)
        for pause in Self.pauses + [nil] {
            let reading: TierReading
            do throws(TierError) {
                reading = try await lookup.read()
            } catch {
                lookup.reportMiss(error.name)
                return nil
            }
            guard case .busy = reading else { return await lookup.checked(reading) }
            guard let pause else { break }
            var generator = environment.generator
            await environment.sleep(pause * Double.random(in: 0.8...1.2, using: &generator))
            if Task.isCancelled { break }
        }
        lookup.reportMiss("busy")
        return .busy
    }
}

private struct TierLookup {
    let key: TierKey
    let tier: any CacheTier
    let clock: any StorageClock
    let environment: TierEnvironment
    private let start = ContinuousClock.now

    func read() async throws(TierError) -> TierReading {
        try await Deadline.limit(tier.deadlines.read, in: environment, on: tier.executor) {
            [tier, key] () async throws(TierError) in
            try await tier.read(key)
        } late: { [tier, key] reading in
            switch reading {
            case .absent(let lease?), .stale(_, let lease?): await tier.release(lease, for: key)
            default: break
            }
        }
    }

    /// Reports the reading and returns it if it is valid; nil for an expired or corrupt entry, `absent` for
    /// an expired failure.
    func checked(_ reading: TierReading) async -> TierReading? {
        switch reading {
        case .hit(let entry):
            guard await isUsable(entry) else { return nil }
            KingfisherEvents.report(
                .tierHit(
                    tier: tier.name, key: key.text.withoutUserInfo, bytes: entry.data.count,
                    duration: start.secondsAgo))
            return reading
        case .stale(let entry, let renewal):
            guard await isUsable(entry) else { return nil }
            KingfisherEvents.report(
                .tierStale(
                    tier: tier.name, key: key.text.withoutUserInfo, bytes: entry.data.count,
                    renews: renewal != nil, duration: start.secondsAgo))
            return reading
        case .negative(let failure):
            let isExpired = failure.expiration <= clock.now
            reportMiss(isExpired ? "expired" : "negative")
            return isExpired ? .absent(nil) : reading
        case .absent(let lease):
            reportMiss(lease == nil ? "absent" : "leased")
            return reading
        case .busy:
            return reading
        }
    }

    /// Reports a miss if the entry is not usable, and removes a corrupt one from the tier.
    private func isUsable(_ entry: TierEntry) async -> Bool {
        guard entry.expiration > clock.now else {
            reportMiss("expired")
            return false
        }
        guard entry.isIntact else {
            reportMiss(TierError.corrupt.name)
            await remove()
            return false
        }
        return true
    }

    /// Awaited before a new entry is written, because a later removal would remove that entry.
    private func remove() async {
        try? await Deadline.limit(tier.deadlines.read, in: environment, on: tier.executor) {
            [tier, key] () async throws(TierError) in
            try await tier.remove(key)
        }
    }

    func reportMiss(_ reason: String) {
        KingfisherEvents.report(
            .tierMissed(
                tier: tier.name, key: key.text.withoutUserInfo, reason: reason, duration: start.secondsAgo))
    }
}

/// The leases that a request holds for one key. Unused ones are released on deinitialization.
package final class TierLeases: Sendable {
    private struct HeldLease: Sendable {
        let tier: any CacheTier
        let lease: TierLease
    }

    private let key: TierKey
    private let environment: TierEnvironment
    private let held = Mutex<[Int: HeldLease]>([:])

    init(_ key: TierKey, environment: TierEnvironment = TierEnvironment()) {
        self.key = key
        self.environment = environment
    }

    deinit {
        for held in held.withLock({ $0 }).values {
            Task(executorPreference: environment.executor) { [key] in
                await held.tier.release(held.lease, for: key)
            }
        }
    }

    package var isEmpty: Bool { held.withLock(\.isEmpty) }

    func add(_ lease: TierLease, of tier: any CacheTier, at index: Int) {
        held.withLock { $0[index] = HeldLease(tier: tier, lease: lease) }
    }

    func take(_ index: Int) -> TierLease? {
        held.withLock { $0.removeValue(forKey: index)?.lease }
    }
}
