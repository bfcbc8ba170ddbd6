import Testing

@testable import KingfisherImage

/// What waits for reuse: values in, values out, no memory behind the addresses.
@Suite struct PixelShelfTests {
    /// Puts a block on the shelf; gives the addresses of those that had to go.
    private func put(
        _ address: Int, _ byteCount: Int, on shelf: inout PixelShelf, at time: UInt64 = 0
    ) throws -> [Int] {
        let start = try #require(UnsafeMutableRawPointer(bitPattern: address))
        return addresses(shelf.put(PixelShelf.Block(start: start, byteCount: byteCount), at: time))
    }

    private func addresses(_ blocks: [PixelShelf.Block]) -> [Int] {
        blocks.map { Int(bitPattern: $0.start) }
    }

    @Test func theLastOfItsSizeIsTakenFirst() throws {
        var shelf = PixelShelf(capacity: 100, patience: 10)
        var dropped: [Int] = []
        for (address, size) in [(1, 20), (2, 30), (3, 20)] { dropped += try put(address, size, on: &shelf) }
        #expect(dropped == [])
        #expect(shelf.byteCount == 70)
        let taken = [20, 20, 20, 29].map { shelf.take($0) }
        #expect(taken.map { $0.map { Int(bitPattern: $0.start) } } == [3, 1, nil, nil])
        #expect(shelf.byteCount == 30)
    }

    @Test func itNeverHoldsMoreThanItsBound() throws {
        var shelf = PixelShelf(capacity: 100, patience: 10)
        var steps: [(dropped: [Int], held: Int)] = []
        for (address, size) in [(1, 101), (2, 40), (3, 60), (4, 1), (5, 100)] {
            steps.append((try put(address, size, on: &shelf), shelf.byteCount))
        }
        #expect(steps.map(\.dropped) == [[1], [], [], [2], [3, 4]])
        #expect(steps.map(\.held) == [0, 40, 100, 61, 100])
        let rest = shelf.dropAll()
        #expect(addresses(rest) == [5])
        #expect(shelf.byteCount == 0)
    }

    /// A sweep reads the clock, then another thread does and puts a block here before the sweep has the lock.
    @Test func aBlockFromAfterTheSweepsTimeStays() throws {
        var shelf = PixelShelf(capacity: 100, patience: 10)
        for (address, time) in [(1, 4), (2, 17)] { _ = try put(address, 1, on: &shelf, at: UInt64(time)) }
        #expect(addresses(shelf.dropImpatient(at: 16)) == [1])
        #expect(addresses(shelf.dropImpatient(at: 16)) == [])
        #expect(shelf.byteCount == 1)
    }

    @Test func nothingWaitsLongerThanItsPatience() throws {
        var shelf = PixelShelf(capacity: 100, patience: 10)
        #expect(shelf.nextDrop == nil)
        for address in 1...3 { _ = try put(address, 1, on: &shelf, at: UInt64(address * 4)) }
        var steps: [(next: UInt64?, dropped: [Int])] = []
        for time: UInt64 in [13, 18, 22] {
            let next = shelf.nextDrop
            steps.append((next, addresses(shelf.dropImpatient(at: time))))
        }
        #expect(steps.map(\.next) == [14, 14, 22])
        #expect(steps.map(\.dropped) == [[], [1, 2], [3]])
        #expect(shelf.nextDrop == nil)
        #expect(shelf.byteCount == 0)
    }

    @Test func sizesAreRoundedUpByAnEighthAtMost() {
        for count in [9, 100, 262_145, 691_200, 3_000_000, 48_000_000, 99_999_999] {
            let size = PixelShelf.blockSize(for: count)
            #expect(size >= count)
            #expect(size - count <= count / 8)
            #expect(PixelShelf.blockSize(for: size) == size)
        }
        #expect(PixelShelf.blockSize(for: .max - 1) >= .max - 1)
        #expect((0...8).map(PixelShelf.blockSize) == Array(0...8))
    }
}
