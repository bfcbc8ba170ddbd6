/// The entries of a memory cache and all decisions about them: a value without lock or clock.
///
/// Nodes are stored in one block of memory and never change their index. A hash table finds them and a policy
/// orders them. Operations return the values that they drop, so that the caller can release them outside its
/// lock. Times are seconds since the reference date of `Date`.
@usableFromInline
struct MemoryState<Value: Sendable, Policy: EvictionPolicy>: ~Copyable, Sendable {
    @usableFromInline var nodes = NodeBlock<Value>()
    @usableFromInline var table = SlotTable()
    @usableFromInline var policy: Policy
    private var emptyPolicy: Policy
    @usableFromInline var totalCost = 0
    @usableFromInline var limits: MemoryLimits
    @usableFromInline var entryLimit: Int
    @usableFromInline var lifetime: NodeLifetime

    init(limits: MemoryLimits, policy: Policy, lifetime: NodeLifetime) {
        self.limits = limits
        self.policy = policy
        self.lifetime = lifetime
        emptyPolicy = policy
        entryLimit = limits.effectiveEntryCost
    }

    @usableFromInline var count: Int { table.count }

    @inlinable
    @inline(__always)
    func index(of key: String, hash: UInt32) -> Int? {
        table.find(hash) {
            // The hash nearly always identifies the key, so start to load the value before the keys are
            // compared.
            nodes.prefetchReferences(of: $0)
            return nodes.contents[$0].key.equal(key)
        }
    }

    @inlinable
    mutating func value(
        for key: String, hash: UInt32, extending: ExpirationExtending, now: Double
    ) -> Value? {
        guard let index = index(of: key, hash: hash) else { return nil }
        let node = nodes.pointer(to: index)
        guard node.pointee.expires > now else { return nil }
        switch extending {
        case .none: break
        case .cacheTime: node.pointee.expires = node.pointee.lifetime.end(from: now)
        case .expirationTime(let expiration): node.pointee.expires = NodeLifetime(expiration).end(from: now)
        }
        policy.access(index)
        return nodes.contents[index].value
    }

    @inlinable
    @inline(__always)
    func expiration(of key: String, hash: UInt32) -> Double? {
        index(of: key, hash: hash).map { nodes.pointer(to: $0).pointee.expires }
    }

    func peek(_ key: String, hash: UInt32) -> Value? {
        index(of: key, hash: hash).flatMap { nodes.contents[$0].value }
    }

    @inlinable
    mutating func store(
        _ value: Value, cost: Int, for key: String, hash: UInt32, lifetime: NodeLifetime?, now: Double
    ) -> DroppedValues<Value> {
        let lifetime = lifetime ?? self.lifetime
        let expires = lifetime.end(from: now)
        var dropped = DroppedValues<Value>()
        guard expires > now else { return dropped }
        let cost = max(0, cost)
        let present = index(of: key, hash: hash)
        guard cost <= entryLimit else {
            if let present { remove(present, into: &dropped) }
            return dropped
        }
        if let present {
            // The old value no longer counts, and the policy may choose it as a victim.
            totalCost -= nodes.pointer(to: present).pointee.cost
            nodes.pointer(to: present).pointee.cost = 0
        }
        let stays = evict(
            toCost: limits.effectiveCost - cost, count: limits.effectiveCount - (present == nil ? 1 : 0),
            sparing: present, keepingRoom: true, into: &dropped)
        totalCost += cost
        if let present, stays {
            let node = nodes.pointer(to: present)
            if let old = nodes.contents[present].value.take() { dropped.append(old) }
            nodes.contents[present].value = value
            node.pointee.cost = cost
            node.pointee.lifetime = lifetime
            node.pointee.expires = expires
            policy.update(present, cost: cost)
        } else {
            let index = nodes.insert(
                MemoryNode(hash: hash, cost: cost, lifetime: lifetime, expires: expires), key: key, value)
            table.insert(hash, node: index)
            policy.admit(index, hash: hash, cost: cost)
        }
        return dropped
    }

    @inlinable
    mutating func remove(_ key: String, hash: UInt32) -> DroppedValues<Value> {
        var dropped = DroppedValues<Value>()
        if let index = index(of: key, hash: hash) { remove(index, into: &dropped) }
        return dropped
    }

    var entries: [(key: String, value: Value)] {
        (0..<nodes.count).compactMap { index in
            nodes.contents[index].value.map { (nodes.contents[index].key.text, $0) }
        }
    }

    mutating func removeExpired(now: Double) -> DroppedValues<Value> {
        removeAll { !($0.pointee.expires > now) }
    }

    mutating func removeAll() -> MemoryState {
        var state = MemoryState(limits: limits, policy: emptyPolicy, lifetime: lifetime)
        swap(&self, &state)
        return state
    }

    mutating func apply(_ limits: MemoryLimits) -> DroppedValues<Value> {
        let entryLimit = limits.effectiveEntryCost
        let isLower = entryLimit < self.entryLimit
        self.limits = limits
        self.entryLimit = entryLimit
        var dropped = isLower ? removeAll { $0.pointee.cost > entryLimit } : DroppedValues()
        evict(toCost: limits.effectiveCost, count: limits.effectiveCount, into: &dropped)
        return dropped
    }

    /// Changes to a policy without entries. Entries are admitted in the eviction order of the old policy, so
    /// that the order survives as far as both policies agree.
    mutating func adopt(_ policy: Policy) {
        emptyPolicy = policy
        var old = policy
        swap(&self.policy, &old)
        while let index = old.evict() {
            let node = nodes.pointer(to: index)
            self.policy.admit(index, hash: node.pointee.hash, cost: node.pointee.cost)
        }
    }

    mutating func trim(toCost cost: Int) -> DroppedValues<Value> {
        var dropped = DroppedValues<Value>()
        evict(toCost: max(0, cost), count: .max, into: &dropped)
        return dropped
    }

    /// Evicts down to the limits. Returns false if the `spared` node was also evicted.
    ///
    /// - Parameter keepingRoom: Whether to keep the memory of an evicted key for an entry that is stored
    ///   next.
    @inlinable
    @discardableResult
    mutating func evict(
        toCost cost: Int, count limit: Int, sparing spared: Int? = nil,
        keepingRoom: Bool = false, into dropped: inout DroppedValues<Value>
    ) -> Bool {
        var stays = true
        while totalCost > cost || count > limit, let victim = policy.evict() {
            if victim == spared { stays = false }
            vacate(victim, keepingRoom: keepingRoom, into: &dropped)
            prefetchVictims()
        }
        return stays
    }

    /// Prefetches the next two victims: a full cache evicts at nearly every store.
    @inlinable
    mutating func prefetchVictims() {
        guard let outlook = policy.outlook else { return }
        policy.prefetch(outlook)
        nodes.prefetch(outlook.later)
        nodes.prefetchReferences(of: outlook.next)
        table.prefetch(nodes.pointer(to: outlook.next).pointee.hash)
    }

    @inlinable
    mutating func remove(_ index: Int, into dropped: inout DroppedValues<Value>) {
        policy.remove(index)
        vacate(index, keepingRoom: false, into: &dropped)
    }

    private mutating func removeAll(
        where isDue: (UnsafeMutablePointer<MemoryNode>) -> Bool
    ) -> DroppedValues<Value> {
        var dropped = DroppedValues<Value>()
        for index in 0..<nodes.count {
            let node = nodes.pointer(to: index)
            if nodes.contents[index].value != nil, isDue(node) { remove(index, into: &dropped) }
        }
        return dropped
    }

    @inlinable
    mutating func vacate(_ index: Int, keepingRoom: Bool, into dropped: inout DroppedValues<Value>) {
        let node = nodes.pointer(to: index)
        table.remove(node.pointee.hash, node: index)
        totalCost -= node.pointee.cost
        if let value = nodes.vacate(index, keepingRoom: keepingRoom) { dropped.append(value) }
    }
}

/// Values that a cache dropped. Release them outside its lock, because their `deinit` may use the cache.
///
/// Most stores drop at most one value, which needs no array.
@usableFromInline
package struct DroppedValues<Value: Sendable>: Sendable {
    @usableFromInline var first: Value?
    @usableFromInline var others: [Value] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ value: consuming Value) {
        if first == nil {
            first = value
        } else {
            // A large entry evicts several.
            if others.isEmpty { others.reserveCapacity(8) }
            others.append(value)
        }
    }
}
