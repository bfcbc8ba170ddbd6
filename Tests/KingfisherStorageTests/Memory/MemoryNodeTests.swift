import Glibc
import Testing

@testable import KingfisherStorage

/// The memory layout that the cache's speed depends on, and the storage of keys in nodes.
@Suite("Nodes of the memory cache")
struct MemoryNodeTests {
    @Test("Two nodes fill one cache line of the processor, and so do keys and values of four")
    func nodesFillLines() {
        #expect(MemoryLayout<MemoryNode>.stride == 32)
        #expect(MemoryLayout<NodeContent<Counter>>.stride == 16)
        let block = NodeBlock<Int>()
        #expect(UInt(bitPattern: block.base) % 64 == 0)
    }

    @Test("One node holds keys of all lengths in turn")
    func keysReplaceEachOther() {
        var bytes = KeyBytes()
        defer { bytes.free() }
        for length in [3, 0, 15, 16, 64, 63, 300, 1, 257, 5000, 64] {
            let key = String(repeating: "é", count: length / 2) + String(repeating: "k", count: length % 2)
            bytes.hold(key)
            #expect(bytes.equal(String(decoding: Array(key.utf8), as: UTF8.self)))
            #expect(!bytes.equal(key + "k"))
            #expect(!bytes.equal(String(key.unicodeScalars.dropLast()) + "?"))
            #expect(length == 0 || !bytes.equal(String(key.unicodeScalars.dropLast())))
            bytes.vacate()
        }
    }

    @Test("Two Unicode forms of one letter are two keys")
    func keysAreBytes() {
        var bytes = KeyBytes()
        defer { bytes.free() }
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        bytes.hold(composed)
        #expect(bytes.equal(composed))
        #expect(!bytes.equal(decomposed))
    }

    @Test("A vacant node reuses the memory of a short key and frees that of a long one")
    func vacantNodesKeepShortMemory() {
        var bytes = KeyBytes()
        defer { bytes.free() }
        bytes.hold(String(repeating: "s", count: 100))
        let head = bytes.head
        bytes.vacate()
        #expect(bytes.head == head)
        bytes.hold(String(repeating: "t", count: 90))
        #expect(bytes.head == head)
        bytes.hold(String(repeating: "l", count: 10_000))
        bytes.vacate()
        #expect(bytes.head == nil)
    }

    @Test("A key uses all memory that glibc allocates for it", arguments: 1...300)
    func capacityOfKeys(length: Int) throws {
        // Swift's Glibc module does not export it.
        let symbol = try #require(dlsym(nil, "malloc_usable_size"))
        let usableSize = unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> Int).self)
        var bytes = KeyBytes()
        defer { bytes.free() }
        bytes.hold(String(repeating: "k", count: length))
        let head = try #require(bytes.head)
        // Sometimes glibc adds 16 bytes, which are too few for a separate block.
        #expect([0, 16].contains(usableSize(head) - MemoryLayout<KeyBytes.Head>.size - bytes.capacity))
        #expect(bytes.capacity >= length)
    }

    @Test("Memory of keys up to 256 bytes is reused", arguments: 240...264)
    func longestReusedKey(length: Int) {
        var bytes = KeyBytes()
        defer { bytes.free() }
        bytes.hold(String(repeating: "k", count: length))
        bytes.vacate()
        #expect(bytes.head != nil)
        bytes.hold(String(repeating: "k", count: 265))
        bytes.vacate()
        #expect(bytes.head == nil)
    }

    private func makeFilledState() -> MemoryState<Int, LeastRecentlyUsed> {
        var state = MemoryState<Int, LeastRecentlyUsed>(
            limits: MemoryLimits(cost: 100), policy: LeastRecentlyUsed(), lifetime: NodeLifetime(.never))
        for number in 0..<100 {
            let lifetime = number < 50 ? NodeLifetime(.seconds(5)) : nil
            _ = state.store(
                number, cost: 1, for: "a key \(number)", hash: UInt32(number), lifetime: lifetime, now: 0)
        }
        return state
    }

    /// The number of nodes that have memory for a key.
    private func allocatedKeys(_ state: borrowing MemoryState<Int, LeastRecentlyUsed>) -> Int {
        var count = 0
        for index in 0..<state.nodes.count where state.nodes.contents[index].key.head != nil {
            count += 1
        }
        return count
    }

    @Test("Removal by sweep, trim, lower limit or key frees the memory of keys")
    func removalsFreeKeys() {
        var state = makeFilledState()
        #expect(allocatedKeys(state) == 100)
        _ = state.removeExpired(now: 6)
        #expect(state.count == 50 && allocatedKeys(state) == 50)
        _ = state.trim(toCost: 30)
        #expect(state.count == 30 && allocatedKeys(state) == 30)
        _ = state.apply(MemoryLimits(cost: 10))
        #expect(state.count == 10 && allocatedKeys(state) == 10)
        _ = state.remove("a key 99", hash: 99)
        #expect(state.count == 9 && allocatedKeys(state) == 9)
        // Vacant nodes are reused.
        _ = state.store(1, cost: 1, for: "new", hash: 1_000, lifetime: nil, now: 6)
        #expect(allocatedKeys(state) == 10 && state.nodes.count == 100)
        #expect(state.value(for: "new", hash: 1_000, extending: .none, now: 6) == 1)
    }

    @Test("A new entry reuses the key memory of the entry that it evicts")
    func storesReuseKeys() {
        var state = makeFilledState()
        let before = state.nodes.contents[0].key.head
        _ = state.store(1, cost: 1, for: "new", hash: 1_000, lifetime: nil, now: 0)
        #expect(state.count == 100 && allocatedKeys(state) == 100)
        #expect(state.nodes.contents[0].key.head == before)
        #expect(state.nodes.contents[0].key.equal("new"))
    }
}
