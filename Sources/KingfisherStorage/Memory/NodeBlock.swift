/// The nodes of a memory cache and what they hold in two blocks of memory that grow; each keeps its index for
/// life.
///
/// Not arrays: those would ask on every write whether they are shared, and could not begin at a cache line.
/// Keys and values stand by themselves, four entries to a line, so that the processor can fetch what they
/// refer to while it still waits for the node.
@usableFromInline
struct NodeBlock<Value: Sendable>: ~Copyable, @unchecked Sendable {
    // Safe to send: this value alone owns the memory and cannot be copied; who has it has it exclusively.
    @usableFromInline var base: UnsafeMutablePointer<MemoryNode>
    /// By the index of their node.
    @usableFromInline var contents: UnsafeMutablePointer<NodeContent<Value>>
    /// All below are initialised, vacant or not.
    @usableFromInline var count = 0
    @usableFromInline var capacity: Int
    /// The vacant node that is used next, or -1. It keeps the index of the one after it in place of a cost.
    @usableFromInline var vacant = -1

    @inlinable
    init() {
        capacity = 16
        base = Self.allocate(capacity)
        contents = .allocate(capacity: capacity)
    }

    @inlinable
    deinit {
        for index in 0..<count { contents[index].key.free() }
        UnsafeMutableRawPointer(base).deallocate()
        contents.deinitialize(count: count)
        contents.deallocate()
    }

    /// The node with an index below `count`; invalid after the next `insert`.
    @inlinable
    func pointer(to index: Int) -> UnsafeMutablePointer<MemoryNode> {
        assert(index >= 0 && index < count)
        return base + index
    }

    /// Puts a node where one is vacant, or behind all others, and returns its index.
    @inlinable
    mutating func insert(_ node: MemoryNode, key text: String, _ value: Value) -> Int {
        let index: Int
        var key = KeyBytes()
        if vacant >= 0 {
            index = vacant
            vacant = base[index].cost
            key = contents[index].key
        } else {
            if count == capacity { grow() }
            index = count
            count += 1
        }
        key.hold(text)
        // A vacant node's content holds no object, so there is nothing to release.
        (base + index).initialize(to: node)
        (contents + index).initialize(to: NodeContent(value: value, key: key))
        return index
    }

    /// Vacates a node and returns its value.
    ///
    /// - Parameter keepingRoom: Whether the memory of a short key stays, for the one that is inserted next.
    @inlinable
    mutating func vacate(_ index: Int, keepingRoom: Bool) -> Value? {
        defer {
            if keepingRoom { contents[index].key.vacate() } else { contents[index].key.free() }
            pointer(to: index).pointee.cost = vacant
            vacant = index
        }
        return contents[index].value.take()
    }

    /// Has fetched what the content of a node refers to: the bytes of its key, and the counter of references
    /// to its value, if that is an object.
    @inlinable
    @inline(__always)
    func prefetchReferences(of index: Int) {
        Prefetch.references(
            of: contents + index, valueSize: MemoryLayout<Value?>.size, key: contents[index].key.head)
    }

    /// Has a node fetched that is vacated soon.
    @inlinable
    func prefetch(_ index: Int) {
        Prefetch.lines(base + index, contents + index)
    }

    @inlinable
    mutating func grow() {
        let larger = Self.allocate(capacity * 2)
        larger.moveInitialize(from: base, count: count)
        UnsafeMutableRawPointer(base).deallocate()
        base = larger
        let more = UnsafeMutablePointer<NodeContent<Value>>.allocate(capacity: capacity * 2)
        more.moveInitialize(from: contents, count: count)
        contents.deallocate()
        contents = more
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

/// What a node holds.
@usableFromInline
struct NodeContent<Value: Sendable> {
    /// Nil where the node is vacant.
    @usableFromInline var value: Value?
    @usableFromInline var key: KeyBytes

    @inlinable
    init(value: Value?, key: KeyBytes) {
        self.value = value
        self.key = key
    }
}
