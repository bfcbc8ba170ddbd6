import Foundation
public import Kingfisher
import Synchronization

/// A tier in memory, which leases, delays, fails and loses what a test tells it to.
///
///     let tier = MemoryTier()
///     let manager = KingfisherManager(downloader: .default, cache: .default)
///     manager.tiers = [tier]
///     tier.behaviour.delay = .milliseconds(20)
///
/// Safe from any thread.
public final class MemoryTier: CacheTier {
    /// How the tier behaves from now on.
    public struct Behaviour: Sendable {
        /// Whether `read` gives leases, and says that it is busy while one is out.
        public var givesLeases = false
        /// How long each operation takes.
        public var delay = Duration.zero
        /// What each operation fails with.
        public var failure: TierError?
        /// Whether writes are accepted and nothing is kept.
        public var losesWrites = false
        /// Whether operations never end, not even when they are cancelled.
        public var isStuck = false

        /// A tier that works, at once and without leases.
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
        var releases: [TierKey] = []
    }

    public let name: String
    public let keepsOriginals: Bool
    public let deadlines: TierDeadlines
    private let state = Mutex(State())

    /// Makes an empty tier.
    public init(
        name: String = "memory", keepsOriginals: Bool = false, deadlines: TierDeadlines = TierDeadlines()
    ) {
        self.name = name
        self.keepsOriginals = keepsOriginals
        self.deadlines = deadlines
    }

    /// How the tier behaves.
    public var behaviour: Behaviour {
        get { state.withLock(\.behaviour) }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// What the tier has.
    public var entries: [TierKey: TierEntry] {
        get { state.withLock(\.entries) }
        set { state.withLock { $0.entries = newValue } }
    }

    /// Keys whose entries are to be renewed; a write renews one.
    public var staleKeys: Set<TierKey> {
        get { state.withLock(\.stale) }
        set { state.withLock { $0.stale = newValue } }
    }

    /// Keys whose source is known to have no image.
    public var failures: [TierKey: TierFailure] {
        get { state.withLock(\.failures) }
        set { state.withLock { $0.failures = newValue } }
    }

    /// Keys whose lease is out.
    public var leasedKeys: Set<TierKey> { state.withLock { Set($0.leases.keys) } }

    /// The keys of all reads so far, in their order.
    public var reads: [TierKey] { state.withLock(\.reads) }

    /// The keys of all writes so far, in their order, lost and refused ones included.
    public var writes: [TierKey] { state.withLock(\.writes) }

    /// The keys of all leases that were given back unused.
    public var releases: [TierKey] { state.withLock(\.releases) }

    /// Gives a lease to another machine.
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
            state.stale.remove(key)
            return false
        }
        if isRefused { throw .leaseLost }
    }

    public func remove(_ key: TierKey) async throws(TierError) {
        try await behave()
        state.withLock { $0.entries[key] = nil }
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
