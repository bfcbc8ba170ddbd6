import KingfisherTestSupport
import Testing

@testable import KingfisherImage

@Suite struct ColorHistogramTests {
    private func histogram(_ keys: some Sequence<UInt32>) -> ColorHistogram {
        var histogram = ColorHistogram()
        let row = keys.map { (key: UInt32) -> PalettePixel in
            let (red, green, blue) = (UInt8(key >> 16 & 255), UInt8(key >> 8 & 255), UInt8(key & 255))
            return PalettePixel(red: red, green: green, blue: blue, alpha: 255)
        }
        row.withUnsafeBufferPointer { histogram.add($0) }
        return histogram
    }

    /// Colours that hash to few slots; each is the first of its cell at a resolution coarser by `shift` bits.
    private func colliding(_ count: Int, slots: Range<Int>, shift: UInt32) -> [UInt32] {
        let mask = (UInt32(0xFF) >> shift) * 0x01_0101
        return Array(
            (0..<UInt32(1) << 24).lazy.filter { key in
                key & mask == key && slots.contains(ColorHistogram.slot(of: key))
            }.prefix(count).map { $0 << shift })
    }

    @Test func collidingColoursAreMerged() {
        let keys = colliding(200, slots: 0..<1, shift: 0)
        #expect(keys.count == 200)
        let few = histogram(keys.prefix(ColorHistogram.maximumSearch + 1))
        #expect(few.shift == 0 && few.cellCount == ColorHistogram.maximumSearch + 1)
        let many = histogram(keys)
        #expect(many.shift == 1 && many.cellCount <= 200 && many.shownCount == 200)
        #expect(!many.palette(upTo: 256).isEmpty)
    }

    /// Colours merged at the next level collide again while the merge is running.
    @Test func coloursThatCollideTwiceAreMergedTwice() {
        // If every level is even, the first merge joins no colours.
        let keys = colliding(150, slots: 0..<3, shift: 1)
        #expect(keys.count == 150)
        let spread = histogram(keys)
        #expect(spread.shift == 0)
        let first = colliding(130, slots: 9..<10, shift: 0)
        let joined = histogram(keys + first)
        #expect(joined.shift == 2 && joined.shownCount == 280)
        // Every colour is found at its own level: the mean of all is that of a single box.
        let all: [UInt32] = keys + first
        let mean = [UInt32(16), 8, 0].map { (shift: UInt32) -> UInt8 in
            let sum: UInt32 = all.reduce(0) { $0 + ($1 >> shift & 255) }
            return UInt8((Double(sum) / 280).rounded())
        }
        #expect(joined.palette(upTo: 1) == [SIMD4(mean[0], mean[1], mean[2], 255)])
        #expect(joined.cellCount == Set(all.map { $0 >> 2 & 0x3F3F3F }).count)
    }

    @Test func coloursOfImagesAreMergedOnlyAboveTheCapacity() {
        var generator = SeededGenerator(seed: 12)
        let noise = (0..<16_000).map { _ in UInt32.random(in: 0..<1 << 24, using: &generator) }
        #expect(histogram(noise).shift == 0)
        // A cube of adjacent colours, and a plane of two channels.
        var cube: [UInt32] = []
        for red in UInt32(0)..<24 {
            for green in UInt32(0)..<24 { cube += (0..<24).map { red << 16 | green << 8 | $0 } }
        }
        let neighbours = histogram(cube)
        #expect(neighbours.shift == 0 && neighbours.cellCount == cube.count)
        var plane: [UInt32] = []
        for red in UInt32(0)..<128 { plane += (0..<128).map { (blue: UInt32) in red << 17 | blue << 1 } }
        let full = histogram(plane)
        #expect(full.shift == 0 && full.cellCount == 16_384)
        #expect(histogram(plane + [0x01_0101]).shift == 1)
    }
}
