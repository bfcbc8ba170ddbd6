import KingfisherImage
import Testing

/// What pictures take from the allocator, and what they find there again.
@Suite struct PixelMemoryTests {
    private func address(_ pixels: PixelBuffer) -> UInt {
        pixels.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    private func picture(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try PixelBuffer(width: width, height: height, format: .rgba8Opaque, zeroed: true) { _, _ in }
    }

    /// A playing animation holds two canvases at a time. Where freed ones were not found again, hundreds of
    /// frames would lie at hundreds of places.
    @Test func framesOfAnAnimationTakeTurnsInTheSameMemory() throws {
        var shown = try picture(480, 360)
        var places: Set<UInt> = []
        for _ in 0..<400 {
            let next = try picture(480, 360)
            places.insert(address(next))
            shown = next
        }
        #expect(address(shown) != 0)
        #expect(places.count < 12)
    }

    @Test(arguments: [1, 3, 17, 500, 1500])
    func pixelsLieOnBordersOfCacheLines(side: Int) throws {
        let pictures = try (0..<8).map { _ in try picture(side, side) }
        #expect(pictures.allSatisfy { address($0).isMultiple(of: 64) })
        #expect(Set(pictures.map(address)).count == pictures.count)
    }
}
