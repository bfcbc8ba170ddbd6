public import Foundation

/// The entries of a memory cache and every decision about them, as a plain value without lock or clock.
///
/// Nodes stand in one array and keep their index for life; a table of hashes finds them and a policy orders
/// them. Operations that drop values hand them back, so that the caller can release them outside its lock.
@usableFromInline
struct MemoryState<Value: Sendable, Policy: EvictionPolicy>: Sendable {
    @usableFromInline
    struct Node: Sendable {
        @usableFromInline var key: String
        @usableFromInline var hash: UInt32
        /// Nil marks a node that waits to be used again.
        @usableFromInline var value: Value?
        @usableFromInline var cost: Int
        @usableFromInline var lifetime: StorageExpiration
        @usableFromInline var expires: Date
    }

    @usableFromInline var nodes: [Node] = []
    @usableFromInline var table = SlotTable()
    @usableFromInline var policy: Policy
    private let emptyPolicy: Policy
    private var vacantNodes: [Int] = []
    private(set) var totalCost = 0
    private(set) var limits: MemoryLimits

    /// `policy` must not know any entry yet.
    init(limits: MemoryLimits, policy: Policy) {
        self.limits = limits
        self.policy = policy
        emptyPolicy = policy
    }

    var count: Int { table.count }

    /// Swift's seeded SipHash: keys are often URLs of strangers, who must not be able to choose collisions.
    @inlinable
    static func hash(_ key: String) -> UInt32 {
        UInt32(truncatingIfNeeded: key.hashValue)
    }

    @inlinable
    func node(of key: String) -> Int? {
        table.find(Self.hash(key)) { nodes[$0].key == key }
    }

    @inlinable
    mutating func value(for key: String, extending: ExpirationExtending, now: Date) -> Value? {
        guard let node = node(of: key), nodes[node].expires > now else { return nil }
        switch extending {
        case .none: break
        case .cacheTime: nodes[node].expires = nodes[node].lifetime.estimatedExpirationSince(now)
        case .expirationTime(let lifetime): nodes[node].expires = lifetime.estimatedExpirationSince(now)
        }
        policy.access(node)
        return nodes[node].value
    }

    func expiration(of key: String) -> Date? {
        node(of: key).map { nodes[$0].expires }
    }

    /// Stores an entry and returns what it replaced or drove out.
    ///
    /// An entry dearer than the whole limit is refused and drives nobody out; what its key held before is
    /// outdated and goes.
    mutating func store(
        _ value: Value, cost: Int, for key: String, lifetime: StorageExpiration, now: Date
    ) -> [Value] {
        let cost = max(0, cost)
        var dropped: [Value] = []
        if let node = node(of: key) {
            policy.remove(node)
            vacate(node, into: &dropped)
        }
        guard cost <= limits.effectiveCost else { return dropped }
        dropped += evict(toCost: limits.effectiveCost - cost, count: limits.effectiveCount - 1)

        let hash = Self.hash(key)
        let entry = Node(
            key: key, hash: hash, value: value, cost: cost, lifetime: lifetime,
            expires: lifetime.estimatedExpirationSince(now))
        let node = vacantNodes.popLast() ?? nodes.count
        if node == nodes.count {
            nodes.append(entry)
        } else {
            nodes[node] = entry
        }
        table.insert(hash, node: node)
        policy.admit(node, hash: hash, cost: cost)
        totalCost += cost
        return dropped
    }

    mutating func remove(_ key: String) -> [Value] {
        var dropped: [Value] = []
        if let node = node(of: key) {
            policy.remove(node)
            vacate(node, into: &dropped)
        }
        return dropped
    }

    mutating func removeExpired(now: Date) -> [Value] {
        var dropped: [Value] = []
        for node in nodes.indices where nodes[node].value != nil && nodes[node].expires <= now {
            policy.remove(node)
            vacate(node, into: &dropped)
        }
        return dropped
    }

    /// Empties the state and gives its memory back with the values.
    mutating func removeAll() -> MemoryState {
        let old = self
        self = MemoryState(limits: limits, policy: emptyPolicy)
        return old
    }

    mutating func apply(_ limits: MemoryLimits) -> [Value] {
        self.limits = limits
        return evict(toCost: limits.effectiveCost, count: limits.effectiveCount)
    }

    mutating func trim(toCost cost: Int) -> [Value] {
        evict(toCost: max(0, cost), count: .max)
    }

    private mutating func evict(toCost cost: Int, count limit: Int) -> [Value] {
        var dropped: [Value] = []
        while totalCost > cost || count > limit, let victim = policy.evict() {
            vacate(victim, into: &dropped)
        }
        return dropped
    }

    /// Frees a node that the policy has forgotten.
    private mutating func vacate(_ node: Int, into dropped: inout [Value]) {
        if let value = nodes[node].value.take() { dropped.append(value) }
        table.remove(nodes[node].hash, node: node)
        totalCost -= nodes[node].cost
        nodes[node].key = ""
        nodes[node].cost = 0
        vacantNodes.append(node)
    }
}
