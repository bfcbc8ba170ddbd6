/// The nodes of a memory cache and their values in two blocks of memory that grow; each keeps its index for
/// life.
///
/// Not arrays: those would ask on every write whether they are shared, and could not begin at a cache line.
/// Values stand by themselves, eight to a line, so that the processor can fetch what one refers to while it
/// still waits for the node.
@usableFromInline
struct NodeBlock<Value: Sendable>: ~Copyable, @unchecked Sendable {
    // Safe to send: this value alone owns the memory and cannot be copied; who has it has it exclusively.
    @usableFromInline var base: UnsafeMutablePointer<MemoryNode>
    /// By the index of their node; nil where that is vacant.
    @usableFromInline var values: UnsafeMutablePointer<Value?>
    /// All below are initialised, vacant or not.
    @usableFromInline var count = 0
    @usableFromInline var capacity: Int
    /// The vacant node that is used next, or -1. It keeps the index of the one after it in place of a cost.
    @usableFromInline var vacant = -1

    @inlinable
    init() {
        capacity = 16
        base = Self.allocate(capacity)
        values = .allocate(capacity: capacity)
    }

    @inlinable
    deinit {
        for index in 0..<count { base[index].key.free() }
        UnsafeMutableRawPointer(base).deallocate()
        values.deinitialize(count: count)
        values.deallocate()
    }

    /// The node with an index below `count`; invalid after the next `insert`.
    @inlinable
    func pointer(to index: Int) -> UnsafeMutablePointer<MemoryNode> {
        assert(index >= 0 && index < count)
        return base + index
    }

    /// Puts a node where one is vacant, or behind all others, and returns its index.
    @inlinable
    mutating func insert(_ node: MemoryNode, key: String, _ value: Value) -> Int {
        var node = node
        let index: Int
        if vacant >= 0 {
            index = vacant
            vacant = base[index].cost
            node.key = base[index].key
        } else {
            if count == capacity { grow() }
            index = count
            count += 1
        }
        node.key.hold(key)
        // A vacant node holds no object, so there is nothing to release.
        (base + index).initialize(to: node)
        (values + index).initialize(to: value)
        return index
    }

    /// Vacates a node and returns its value.
    ///
    /// - Parameter keepingRoom: Whether the memory of a short key stays, for the one that is inserted next.
    @inlinable
    mutating func vacate(_ index: Int, keepingRoom: Bool) -> Value? {
        let node = pointer(to: index)
        defer {
            if keepingRoom { node.pointee.key.vacate() } else { node.pointee.key.free() }
            node.pointee.cost = vacant
            vacant = index
        }
        return values[index].take()
    }

    /// Has the counter of references to a value fetched, if that is an object.
    @inlinable
    @inline(__always)
    func prefetchValue(of index: Int) {
        Prefetch.counter(values + index, valueSize: MemoryLayout<Value?>.size)
    }

    /// Has a node fetched that is vacated soon.
    @inlinable
    func prefetch(_ index: Int) {
        Prefetch.lines(base + index, values + index)
    }

    /// Has fetched what a node refers to that is vacated next, and whose place the next entry takes.
    @inlinable
    func prefetchReferences(of index: Int) {
        prefetchValue(of: index)
        if let key = base[index].key.start { Prefetch.lines(key, key + 64) }
    }

    @inlinable
    mutating func grow() {
        let larger = Self.allocate(capacity * 2)
        larger.moveInitialize(from: base, count: count)
        UnsafeMutableRawPointer(base).deallocate()
        base = larger
        let moreValues = UnsafeMutablePointer<Value?>.allocate(capacity: capacity * 2)
        moreValues.moveInitialize(from: values, count: count)
        values.deallocate()
        values = moreValues
        capacity *= 2
    }

    @inlinable
    static func allocate(_ capacity: Int) -> UnsafeMutablePointer<MemoryNode> {
        UnsafeMutableRawPointer.allocate(
            byteCount: capacity * MemoryLayout<MemoryNode>.stride,
            alignment: max(64, MemoryLayout<MemoryNode>.alignment)
        ).bindMemory(to: MemoryNode.self, capacity: capacity)
    }
}
