/// An entry of a memory cache, or a vacant place for one.
///
/// A line of the processor's cache, 64 bytes, where the value is one pointer or number: a hit reads one.
@usableFromInline
struct MemoryNode<Value: Sendable>: Sendable {
    @usableFromInline var key: String
    /// Nil marks a vacant place.
    @usableFromInline var value: Value?
    /// Seconds since the reference date.
    @usableFromInline var expires: Double
    @usableFromInline var lifetime: Lifetime
    @usableFromInline var hash: UInt64
    @usableFromInline var cost: Int

    @inlinable
    init(key: String, hash: UInt64, value: Value, cost: Int, lifetime: Lifetime, expires: Double) {
        self.key = key
        self.value = value
        self.expires = expires
        self.lifetime = lifetime
        self.hash = hash
        self.cost = cost
    }
}

/// The nodes of a memory cache in one block of memory that grows; each keeps its index for life.
///
/// Not an array: that would ask on every write whether it is shared, and could not begin at a cache line.
@usableFromInline
struct NodeBlock<Value: Sendable>: ~Copyable, @unchecked Sendable {
    // Safe to send: this value alone owns the memory and cannot be copied; who has it has it exclusively.
    @usableFromInline typealias Node = MemoryNode<Value>

    @usableFromInline var base: UnsafeMutablePointer<Node>
    /// All below are initialised, vacant or not.
    @usableFromInline var count = 0
    @usableFromInline var capacity: Int
    /// The vacant node that is used next, or -1. It keeps the index of the one after it in place of a cost.
    @usableFromInline var vacant = -1

    @inlinable
    init() {
        capacity = 16
        base = Self.allocate(capacity)
    }

    @inlinable
    deinit {
        base.deinitialize(count: count)
        UnsafeMutableRawPointer(base).deallocate()
    }

    /// The node with an index below `count`; invalid after the next `insert`.
    @inlinable
    func pointer(to index: Int) -> UnsafeMutablePointer<Node> {
        assert(index >= 0 && index < count)
        return base + index
    }

    /// Puts a node where one is vacant, or behind all others, and returns its index.
    @inlinable
    mutating func insert(_ node: consuming Node) -> Int {
        if vacant >= 0 {
            let index = vacant
            vacant = base[index].cost
            base[index] = node
            return index
        }
        if count == capacity { grow() }
        (base + count).initialize(to: node)
        count += 1
        return count - 1
    }

    /// Vacates a node and returns its value.
    @inlinable
    mutating func vacate(_ index: Int) -> Value? {
        let node = pointer(to: index)
        defer {
            node.pointee.key = ""
            node.pointee.cost = vacant
            vacant = index
        }
        return node.pointee.value.take()
    }

    @inlinable
    mutating func grow() {
        let larger = Self.allocate(capacity * 2)
        larger.moveInitialize(from: base, count: count)
        UnsafeMutableRawPointer(base).deallocate()
        base = larger
        capacity *= 2
    }

    @inlinable
    static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Node> {
        UnsafeMutableRawPointer.allocate(
            byteCount: capacity * MemoryLayout<Node>.stride, alignment: max(64, MemoryLayout<Node>.alignment)
        ).bindMemory(to: Node.self, capacity: capacity)
    }
}
