import Foundation
public import Kingfisher
import Synchronization

/// An in-memory tier that can give leases, delay, fail and lose writes for tests.
///
///     let tier = MemoryTier()
///     let manager = KingfisherManager(downloader: .default, cache: .default)
///     manager.tiers = [tier]
///     tier.behaviour.delay = .milliseconds(20)
///
/// Safe to use from any thread.
public final class MemoryTier: CacheTier {
    /// The behaviour of the tier.
    public struct Behaviour: Sendable {
        /// Whether `read` gives leases, and reports `busy` while a key is leased.
        public var givesLeases = false
        /// The duration of each operation.
        public var delay = Duration.zero
        /// The error of each operation.
        public var failure: TierError?
        /// Whether writes are accepted but not stored.
        public var losesWrites = false
        /// Whether operations never end, even if they are cancelled.
        public var isStuck = false

        /// Creates the behaviour of a working tier, without delay or leases.
        public init() {}
    }

    fileprivate struct State: Sendable {
        var behaviour = Behaviour()
        var entries: [TierKey: TierEntry] = [:]
        var stale: Set<TierKey> = []
        var failures: [TierKey: TierFailure] = [:]
        var leases: [TierKey: TierLease] = [:]
        var lastLease = 0
        var reads: [TierKey] = []
        var writes: [TierKey] = []
        var negativeWrites: [TierKey] = []
        var releases: [TierKey] = []
    }

    public let name: String
    public let keepsOriginals: Bool
    public let deadlines: TierDeadlines
    private let state = Mutex(State())

    /// Creates an empty tier.
    ///
    /// - Parameter deadlines: By default one minute. With the deadlines of a real tier, 250 ms, a test on a
    ///   busy machine would sometimes miss what the tier has stored.
    public init(
        name: String = "memory", keepsOriginals: Bool = false,
        deadlines: TierDeadlines = TierDeadlines(read: .seconds(60), write: .seconds(60))
    ) {
        self.name = name
        self.keepsOriginals = keepsOriginals
        self.deadlines = deadlines
    }

    /// The behaviour of later operations.
    public var behaviour: Behaviour {
        get { state.withLock(\.behaviour) }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// The stored entries.
    public var entries: [TierKey: TierEntry] {
        get { state.withLock(\.entries) }
        set { state.withLock { $0.entries = newValue } }
    }

    /// The keys of stale entries. A write makes its entry fresh.
    public var staleKeys: Set<TierKey> {
        get { state.withLock(\.stale) }
        set { state.withLock { $0.stale = newValue } }
    }

    /// The keys whose source is known to have no image. A write of an entry removes the failure.
    public var failures: [TierKey: TierFailure] {
        get { state.withLock(\.failures) }
        set { state.withLock { $0.failures = newValue } }
    }

    /// The keys that are currently leased.
    public var leasedKeys: Set<TierKey> { state.withLock { Set($0.leases.keys) } }

    /// The keys of all reads so far, in order.
    public var reads: [TierKey] { state.withLock(\.reads) }

    /// The keys of all writes so far, in order, including lost and refused ones.
    public var writes: [TierKey] { state.withLock(\.writes) }

    /// The keys of all writes of failures so far, in order, including lost and refused ones.
    public var negativeWrites: [TierKey] { state.withLock(\.negativeWrites) }

    /// The keys of all leases that were released unused.
    public var releases: [TierKey] { state.withLock(\.releases) }

    /// Gives the lease of a key to another machine.
    public func lease(_ key: TierKey) {
        state.withLock { _ = $0.lease(key) }
    }

    public func read(_ key: TierKey) async throws(TierError) -> TierReading {
        state.withLock { $0.reads.append(key) }
        try await behave()
        return state.withLock { $0.read(key) }
    }

    public func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError) {
        state.withLock { $0.writes.append(key) }
        try await behave()
        let isRefused = state.withLock { state in
            if let lease, state.leases[key] != lease { return true }
            state.leases[key] = nil
            guard !state.behaviour.losesWrites else { return false }
            state.entries[key] = entry
            state.failures[key] = nil
            state.stale.remove(key)
            return false
        }
        if isRefused { throw .leaseLost }
    }

    public func writeNegative(
        _ failure: TierFailure, for key: TierKey, lease: TierLease?
    ) async throws(TierError) {
        state.withLock { $0.negativeWrites.append(key) }
        try await behave()
        let isRefused = state.withLock { state in
            if let lease, state.leases[key] != lease { return true }
            state.leases[key] = nil
            guard !state.behaviour.losesWrites else { return false }
            state.failures[key] = failure
            state.entries[key] = nil
            state.stale.remove(key)
            return false
        }
        if isRefused { throw .leaseLost }
    }

    public func remove(_ key: TierKey) async throws(TierError) {
        try await behave()
        state.withLock { ($0.entries[key], $0.failures[key]) = (nil, nil) }
    }

    public func release(_ lease: TierLease, for key: TierKey) async {
        state.withLock { state in
            state.releases.append(key)
            if state.leases[key] == lease { state.leases[key] = nil }
        }
    }

    private func behave() async throws(TierError) {
        let behaviour = behaviour
        if behaviour.isStuck { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        if behaviour.delay > .zero {
            do {
                try await Task.sleep(for: behaviour.delay)
            } catch {
                throw .cancelled
            }
        }
        if let failure = behaviour.failure { throw failure }
    }
}

extension MemoryTier.State {
    fileprivate mutating func lease(_ key: TierKey) -> TierLease? {
        guard leases[key] == nil else { return nil }
        lastLease += 1
        let lease = TierLease(token: "\(lastLease)")
        leases[key] = lease
        return lease
    }

    fileprivate mutating func read(_ key: TierKey) -> TierReading {
        if let failure = failures[key] { return .negative(failure) }
        let isStale = stale.contains(key)
        if let entry = entries[key], !isStale { return .hit(entry) }
        let lease = behaviour.givesLeases ? lease(key) : nil
        if let entry = entries[key] { return .stale(entry, renewal: lease) }
        return behaviour.givesLeases && lease == nil ? .busy : .absent(lease)
    }
}
