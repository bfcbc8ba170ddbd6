import Glibc
import Testing

@testable import KingfisherStorage

/// What the speed of the cache rests on, and the keys that its nodes hold.
@Suite("Nodes of the memory cache")
struct MemoryNodeTests {
    @Test("a node fills one line of the processor's cache")
    func nodeIsALine() {
        #expect(MemoryLayout<MemoryNode>.stride == 64)
        let block = NodeBlock<Int>()
        #expect(UInt(bitPattern: block.base) % 64 == 0)
    }

    @Test("keys of all lengths are held one after the other in the same node")
    func keysReplaceEachOther() {
        var bytes = KeyBytes()
        defer { bytes.free() }
        #expect(bytes.equal(""))
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

    @Test("two spellings of one letter are two keys")
    func keysAreBytes() {
        var bytes = KeyBytes()
        defer { bytes.free() }
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        bytes.hold(composed)
        #expect(bytes.equal(composed))
        #expect(!bytes.equal(decomposed))
    }

    @Test("a vacant node keeps a short key's memory for the next, and gives a long one's back")
    func vacantNodesKeepLittle() {
        var bytes = KeyBytes()
        defer { bytes.free() }
        bytes.hold(String(repeating: "s", count: 100))
        let start = bytes.start
        bytes.vacate()
        #expect(bytes.start == start)
        bytes.hold(String(repeating: "t", count: 90))
        #expect(bytes.start == start)
        bytes.hold(String(repeating: "l", count: 10_000))
        bytes.vacate()
        #expect(bytes.start == nil)
    }

    @Test("a key's memory is all that glibc gives for it", arguments: 1...300)
    func roomOfKeys(length: Int) throws {
        // Swift's module of glibc leaves it out.
        let symbol = try #require(dlsym(nil, "malloc_usable_size"))
        let usableSize = unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> Int).self)
        var bytes = KeyBytes()
        defer { bytes.free() }
        bytes.hold(String(repeating: "k", count: length))
        let start = try #require(bytes.start)
        #expect(bytes.capacity == usableSize(start))
        #expect(bytes.capacity >= length)
    }

    @Test("keys of 256 bytes at most leave their memory to the next", arguments: 240...264)
    func mostKept(length: Int) {
        var bytes = KeyBytes()
        defer { bytes.free() }
        bytes.hold(String(repeating: "k", count: length))
        bytes.vacate()
        #expect(bytes.start != nil)
        bytes.hold(String(repeating: "k", count: 265))
        bytes.vacate()
        #expect(bytes.start == nil)
    }
}
