import Dispatch
import Glibc
import Testing

@testable import KingfisherImage

/// Allocation and reuse of pixel memory.
@Suite(.serialized) struct PixelMemoryTests {
    private func address(_ pixels: PixelBuffer) -> UInt {
        pixels.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    private func image(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try PixelBuffer(width: width, height: height, format: .rgba8Opaque, zeroed: true) { _, _ in }
    }

    /// A playing animation holds two canvases at a time. If freed ones were not reused, hundreds of frames
    /// would have hundreds of addresses.
    @Test(.enabled(if: PixelMemory.isPooled)) func framesOfAnAnimationReuseTheSameMemory() throws {
        var shown = try image(480, 360)
        var places: Set<UInt> = []
        for _ in 0..<400 {
            let next = try image(480, 360)
            places.insert(address(next))
            shown = next
        }
        #expect(address(shown) != 0)
        #expect(places.count < 12)
    }

    @Test(arguments: [1, 3, 17, 500, 1500])
    func pixelsAreAlignedToCacheLines(side: Int) throws {
        let images = try (0..<8).map { _ in try image(side, side) }
        #expect(images.allSatisfy { address($0).isMultiple(of: 64) })
        #expect(Set(images.map(address)).count == images.count)
    }

    /// Cached images outlive other allocations, so they have separate pages.
    @Test(.enabled(if: PixelMemory.isPooled), arguments: [128, 184, 200, 500, 1000])
    func largerImagesAreAlignedToPages(side: Int) throws {
        let images = try (0..<8).map { _ in try image(side, side) }
        #expect(images.allSatisfy { address($0).isMultiple(of: 4096) })
        #expect(Set(images.map(address)).count == images.count)
    }

    /// 1000 x 1500 and 1000 x 1450 pixels of four bytes belong to the same size class.
    @Test(.enabled(if: PixelMemory.isPooled)) func aLargeImageReusesTheMemoryOfASimilarSize() throws {
        PixelMemory.trim()
        let first = try address(image(1000, 1500))
        // Other threads allocate and free concurrently, so not every attempt succeeds.
        let places = try (0..<20).map { _ in try address(image(1000, 1450)) }
        #expect(places.contains(first))
        #expect(places.allSatisfy { $0.isMultiple(of: 2 << 20) })
    }

    @Test func threadsNeverShareABlockAndTheCapacityIsRespected() {
        let sides = [300, 700, 1000, 1400]
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<40 {
                let side = sides[(thread + round) % sides.count]
                let mark = UInt8((thread * 31 + round) & 0xFF)
                guard let pixels = try? marked(side, mark) else {
                    Issue.record("the allocation failed")
                    continue
                }
                pixels.withUnsafeBytes { bytes in
                    let isOurs = stride(from: 0, to: bytes.count, by: 4099).allSatisfy { bytes[$0] == mark }
                    #expect(isOurs, "\(side)")
                }
                #expect(PixelMemory.retainedByteCount <= PixelMemory.capacity)
            }
        }
        PixelMemory.trim()
    }

    private func marked(_ side: Int, _ mark: UInt8) throws -> PixelBuffer {
        try PixelBuffer(width: side, height: side, format: .rgba8Opaque) { rows, _ in
            for index in stride(from: 0, to: rows.count, by: 4099) { rows[index] = mark }
        }
    }

    @Test(
        "Address Sanitizer reports the byte after a block", .enabled(if: !PixelMemory.isPooled),
        arguments: [1, 100, 65_535, 65_536, 100_001, 5 << 20])
    func endIsPoisoned(count: Int) throws {
        let symbol = try #require(dlsym(nil, "__asan_address_is_poisoned"))
        let isPoisoned = unsafeBitCast(symbol, to: (@convention(c) (UnsafeRawPointer) -> CInt).self)
        let start = try #require(PixelMemory.take(count))
        defer { PixelMemory.giveBack(start, count: count) }
        #expect([-1, 0, count - 1, count].map { isPoisoned(start + $0) } == [1, 0, 0, 1])
    }

    @Test func blocksAboveTheCapacityAreFreedImmediately() throws {
        PixelMemory.trim()
        let side = 4200
        #expect(side * side * 4 > PixelMemory.capacity)
        _ = try image(side, side)
        #expect(PixelMemory.retainedByteCount <= PixelMemory.capacity)
    }
}
