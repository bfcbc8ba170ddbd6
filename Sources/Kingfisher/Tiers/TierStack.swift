import Foundation
import KingfisherStorage
import Synchronization

/// The tiers of a manager, in the order of lookup.
///
/// Reads are bounded by the tiers' deadlines and never fail: an error is a miss. Each tier has a bounded
/// write queue. Safe from any thread.
final class TierStack: Sendable {
    enum ReadOutcome: Sendable {
        case hit(TierEntry)
        /// An entry to deliver now; if there are leases, the request replaces it afterwards.
        case stale(TierEntry, TierLeases)
        case negative(TierFailure)
        /// No entry; the leases are for writing a new one.
        case absent(TierLeases?)
    }

    typealias Sleep = @Sendable (Duration) async -> Void

    let tiers: [any CacheTier]
    private let queues: [TierWriteQueue]
    private let sleep: Sleep

    /// Pauses between reads of a busy tier: 775 ms in all, each with a jitter of 20 %.
    private static let pauses: [Duration] = [25, 50, 100, 200, 400].map { .milliseconds($0) }

    init(
        _ tiers: [any CacheTier], sleep: @escaping Sleep = { try? await Task.sleep(for: $0) }
    ) {
        self.tiers = tiers
        self.sleep = sleep
        queues = tiers.map { TierWriteQueue($0) }
    }

    var keepsOriginals: Bool { tiers.contains { $0.keepsOriginals } }

    /// Reads one tier after the other. A hit is written to the tiers above it.
    func read(_ key: TierKey, originals: Bool = false, by clock: any StorageClock) async -> ReadOutcome {
        let leases = TierLeases(key)
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

    func write(_ entry: TierEntry, for key: TierKey, leases: TierLeases?, originals: Bool = false) {
        for (index, tier) in tiers.enumerated() where !originals || tier.keepsOriginals {
            queues[index].write(entry, for: key, lease: leases?.take(index))
        }
    }

    /// Writes that the source has no image. Leases of tiers that are not written are released by their owner.
    func write(_ failure: TierFailure, for key: TierKey, leases: TierLeases?, originals: Bool = false) {
        for (index, tier) in tiers.enumerated() where !originals || tier.keepsOriginals {
            queues[index].write(failure, for: key, lease: leases?.take(index))
        }
    }

    private func reading(
        of key: TierKey, from tier: any CacheTier, by clock: any StorageClock
    ) async -> TierReading? {
        let lookup = TierLookup(key: key, tier: tier, clock: clock)
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
            await sleep(pause * Double.random(in: 0.8...1.2))
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
    private let start = ContinuousClock.now

    func read() async throws(TierError) -> TierReading {
        try await Deadline.limit(tier.deadlines.read) { [tier, key] () async throws(TierError) in
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
        case .hit(let entry), .stale(let entry, _):
            return await isUsable(entry) ? reading : nil
        case .negative(let failure):
            let isExpired = failure.expiration <= clock.now
            reportMiss(isExpired ? "expired" : "negative")
            return isExpired ? .absent(nil) : reading
        case .absent:
            reportMiss("absent")
            return reading
        case .busy:
            return reading
        }
    }

    /// Reports a hit or a miss, and removes a corrupt entry from the tier.
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
        KingfisherEvents.report(
            .tierHit(
                tier: tier.name, key: key.text.withoutUserInfo, bytes: entry.data.count,
                duration: start.secondsAgo))
        return true
    }

    /// Awaited before a new entry is written, because a later removal would remove that entry.
    private func remove() async {
        try? await Deadline.limit(tier.deadlines.read) { [tier, key] () async throws(TierError) in
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
final class TierLeases: Sendable {
    private struct Held: Sendable {
        let tier: any CacheTier
        let lease: TierLease
    }

    private let key: TierKey
    private let held = Mutex<[Int: Held]>([:])

    init(_ key: TierKey) { self.key = key }

    deinit {
        for held in held.withLock({ $0 }).values {
            Task { [key] in await held.tier.release(held.lease, for: key) }
        }
    }

    var isEmpty: Bool { held.withLock(\.isEmpty) }

    func add(_ lease: TierLease, of tier: any CacheTier, at index: Int) {
        held.withLock { $0[index] = Held(tier: tier, lease: lease) }
    }

    func take(_ index: Int) -> TierLease? {
        held.withLock { $0.removeValue(forKey: index)?.lease }
    }
}
