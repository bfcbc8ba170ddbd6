/// The nodes of a memory cache and their contents, in two growing blocks of memory. Nodes keep their index.
///
/// Arrays would check for uniqueness on every write and could not be aligned to a cache line. Keys and values
/// are stored separately, four entries to a line, so that their references can be prefetched while the node
/// is still being loaded.
@usableFromInline
struct NodeBlock<Value: Sendable>: ~Copyable, @unchecked Sendable {
    // Safe to send: this noncopyable value is the only owner of the memory.
    @usableFromInline var base: UnsafeMutablePointer<MemoryNode>
    @usableFromInline var contents: UnsafeMutablePointer<NodeContent<Value>>
    /// The number of initialized nodes, vacant ones included.
    @usableFromInline var count = 0
    @usableFromInline var capacity: Int
    /// The vacant node to use next, or -1. A vacant node stores the index of the next one as its cost.
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

    /// The node with an index below `count`. The pointer is invalid after the next `insert`.
    @inlinable
    func pointer(to index: Int) -> UnsafeMutablePointer<MemoryNode> {
        assert(index >= 0 && index < count)
        return base + index
    }

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

    @inlinable
    mutating func vacate(_ index: Int, keepingRoom: Bool) -> Value? {
        defer {
            if keepingRoom { contents[index].key.vacate() } else { contents[index].key.free() }
            pointer(to: index).pointee.cost = vacant
            vacant = index
        }
        return contents[index].value.take()
    }

    @inlinable
    @inline(__always)
    func prefetchReferences(of index: Int) {
        Prefetch.references(
            of: contents + index, valueSize: MemoryLayout<Value?>.size, key: contents[index].key.head)
    }

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

@usableFromInline
struct NodeContent<Value: Sendable> {
    /// Nil if the node is vacant.
    @usableFromInline var value: Value?
    @usableFromInline var key: KeyBytes

    @inlinable
    init(value: Value?, key: KeyBytes) {
        self.value = value
        self.key = key
    }
}
