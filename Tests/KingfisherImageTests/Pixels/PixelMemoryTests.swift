import Dispatch
import Testing

@testable import KingfisherImage

/// What images take from the allocator, and what they find there again.
@Suite(.serialized) struct PixelMemoryTests {
    private func address(_ pixels: PixelBuffer) -> UInt {
        pixels.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    private func image(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try PixelBuffer(width: width, height: height, format: .rgba8Opaque, zeroed: true) { _, _ in }
    }

    /// A playing animation holds two canvases at a time. Where freed ones were not found again, hundreds of
    /// frames would lie at hundreds of places.
    @Test func framesOfAnAnimationTakeTurnsInTheSameMemory() throws {
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
    func pixelsLieOnBordersOfCacheLines(side: Int) throws {
        let images = try (0..<8).map { _ in try image(side, side) }
        #expect(images.allSatisfy { address($0).isMultiple(of: 64) })
        #expect(Set(images.map(address)).count == images.count)
    }

    /// In a cache they outlive all that is allocated while they are made, so they lie elsewhere.
    @Test(arguments: [128, 184, 200, 500, 1000])
    func imagesThatMayStayForLongHavePagesOfTheirOwn(side: Int) throws {
        let images = try (0..<8).map { _ in try image(side, side) }
        #expect(images.allSatisfy { address($0).isMultiple(of: 4096) })
        #expect(Set(images.map(address)).count == images.count)
    }

    /// 1000 x 1500 and 1000 x 1450 pixels of four bytes are of one class.
    @Test func aBigImageFindsTheMemoryOfOneOfAboutItsSize() throws {
        PixelMemory.trim()
        let first = try address(image(1000, 1500))
        // Others take and give back at the same time, so not every try must succeed.
        let places = try (0..<20).map { _ in try address(image(1000, 1450)) }
        #expect(places.contains(first))
        #expect(places.allSatisfy { $0.isMultiple(of: 2 << 20) })
    }

    @Test func threadsNeverShareABlockAndTheBoundHolds() {
        let sides = [300, 700, 1000, 1400]
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<40 {
                let side = sides[(thread + round) % sides.count]
                let mark = UInt8((thread * 31 + round) & 0xFF)
                guard let pixels = try? marked(side, mark) else {
                    Issue.record("no memory")
                    continue
                }
                pixels.withUnsafeBytes { bytes in
                    let isOurs = stride(from: 0, to: bytes.count, by: 4099).allSatisfy { bytes[$0] == mark }
                    #expect(isOurs, "\(side)")
                }
                #expect(PixelMemory.waitingByteCount <= PixelMemory.capacity)
            }
        }
        PixelMemory.trim()
    }

    private func marked(_ side: Int, _ mark: UInt8) throws -> PixelBuffer {
        try PixelBuffer(width: side, height: side, format: .rgba8Opaque) { rows, _ in
            for index in stride(from: 0, to: rows.count, by: 4099) { rows[index] = mark }
        }
    }

    @Test func whatIsTooBigToWaitIsGivenBackAtOnce() throws {
        PixelMemory.trim()
        let side = 4200
        #expect(side * side * 4 > PixelMemory.capacity)
        _ = try image(side, side)
        #expect(PixelMemory.waitingByteCount <= PixelMemory.capacity)
    }
}
