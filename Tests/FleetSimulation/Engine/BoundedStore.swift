import KingfisherStorage

/// A dictionary bounded by cost, which evicts by one of the library's policies. A value.
struct BoundedStore<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node: Sendable {
        let key: Key
        var value: Value
        var cost: Int
    }

    private var policy: AnyEvictionPolicy
    private var indices: [Key: Int] = [:]
    private var nodes: [Node?] = []
    private var free: [Int] = []
    let limit: Int
    private(set) var totalCost = 0
    private(set) var evictions = 0

    init(limit: Int, policy: AnyEvictionPolicy.Kind) {
        self.limit = limit
        self.policy = AnyEvictionPolicy(policy)
    }

    var count: Int { indices.count }

    /// In no particular order.
    var keys: [Key] { Array(indices.keys) }

    func peek(_ key: Key) -> Value? { indices[key].flatMap { nodes[$0]?.value } }

    func cost(of key: Key) -> Int { indices[key].flatMap { nodes[$0]?.cost } ?? 0 }

    /// Counts as a use.
    mutating func value(_ key: Key) -> Value? {
        guard let index = indices[key] else { return nil }
        policy.access(index)
        return nodes[index]?.value
    }

    /// Stores a value, and evicts others until it fits; false if it costs more than the limit.
    ///
    /// - Parameter hash: Identifies a key that returns after its eviction.
    @discardableResult
    mutating func store(_ value: Value, cost: Int, for key: Key, hash: UInt32 = 0) -> Bool {
        remove(key)
        guard cost <= limit else { return false }
        while totalCost + cost > limit, let victim = policy.evict() {
            release(victim)
            evictions += 1
        }
        let node = Node(key: key, value: value, cost: cost)
        let index = free.popLast() ?? nodes.count
        if index == nodes.count { nodes.append(node) } else { nodes[index] = node }
        indices[key] = index
        totalCost += cost
        policy.admit(index, hash: hash, cost: cost)
        return true
    }

    mutating func remove(_ key: Key) {
        guard let index = indices[key] else { return }
        policy.remove(index)
        release(index)
    }

    private mutating func release(_ index: Int) {
        guard let node = nodes[index] else { return }
        indices[node.key] = nil
        totalCost -= node.cost
        nodes[index] = nil
        free.append(index)
    }
}
