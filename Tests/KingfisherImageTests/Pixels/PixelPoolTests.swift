import Testing

@testable import KingfisherImage

/// The pool as a value type; there is no memory behind the addresses.
@Suite struct PixelPoolTests {
    /// Puts a block into the pool and returns the addresses of the evicted blocks.
    private func put(
        _ address: Int, _ byteCount: Int, into pool: inout PixelPool, at time: UInt64 = 0
    ) throws -> [Int] {
        let start = try #require(UnsafeMutableRawPointer(bitPattern: address))
        return addresses(pool.put(PixelPool.Block(start: start, byteCount: byteCount), at: time))
    }

    private func addresses(_ blocks: [PixelPool.Block]) -> [Int] {
        blocks.map { Int(bitPattern: $0.start) }
    }

    @Test func theMostRecentBlockOfASizeIsTakenFirst() throws {
        var pool = PixelPool(capacity: 100, retentionTime: 10)
        var dropped: [Int] = []
        for (address, size) in [(1, 20), (2, 30), (3, 20)] { dropped += try put(address, size, into: &pool) }
        #expect(dropped == [])
        #expect(pool.byteCount == 70)
        let taken = [20, 20, 20, 29].map { pool.take($0) }
        #expect(taken.map { $0.map { Int(bitPattern: $0.start) } } == [3, 1, nil, nil])
        #expect(pool.byteCount == 30)
    }

    @Test func thePoolNeverExceedsItsCapacity() throws {
        var pool = PixelPool(capacity: 100, retentionTime: 10)
        var steps: [(dropped: [Int], held: Int)] = []
        for (address, size) in [(1, 101), (2, 40), (3, 60), (4, 1), (5, 100)] {
            steps.append((try put(address, size, into: &pool), pool.byteCount))
        }
        #expect(steps.map(\.dropped) == [[1], [], [], [2], [3, 4]])
        #expect(steps.map(\.held) == [0, 40, 100, 61, 100])
        let rest = pool.dropAll()
        #expect(addresses(rest) == [5])
        #expect(pool.byteCount == 0)
    }

    /// A sweep reads the clock; then another thread puts a block into the pool before the sweep takes the
    /// lock.
    @Test func aBlockNewerThanTheSweepIsKept() throws {
        var pool = PixelPool(capacity: 100, retentionTime: 10)
        for (address, time) in [(1, 4), (2, 17)] { _ = try put(address, 1, into: &pool, at: UInt64(time)) }
        #expect(addresses(pool.dropExpired(at: 16)) == [1])
        #expect(addresses(pool.dropExpired(at: 16)) == [])
        #expect(pool.byteCount == 1)
    }

    @Test func blocksExpireAfterTheRetentionTime() throws {
        var pool = PixelPool(capacity: 100, retentionTime: 10)
        #expect(pool.nextDrop == nil)
        for address in 1...3 { _ = try put(address, 1, into: &pool, at: UInt64(address * 4)) }
        var steps: [(next: UInt64?, dropped: [Int])] = []
        for time: UInt64 in [13, 18, 22] {
            let next = pool.nextDrop
            steps.append((next, addresses(pool.dropExpired(at: time))))
        }
        #expect(steps.map(\.next) == [14, 14, 22])
        #expect(steps.map(\.dropped) == [[], [1, 2], [3]])
        #expect(pool.nextDrop == nil)
        #expect(pool.byteCount == 0)
    }

    @Test func sizesAreRoundedUpByAnEighthAtMost() {
        for count in [9, 100, 262_145, 691_200, 3_000_000, 48_000_000, 99_999_999] {
            let size = PixelPool.blockSize(for: count)
            #expect(size >= count)
            #expect(size - count <= count / 8)
            #expect(PixelPool.blockSize(for: size) == size)
        }
        #expect(PixelPool.blockSize(for: .max - 1) >= .max - 1)
        #expect((0...8).map(PixelPool.blockSize) == Array(0...8))
    }
}
