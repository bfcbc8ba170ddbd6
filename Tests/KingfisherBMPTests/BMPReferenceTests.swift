import Foundation
import KingfisherBMP
import KingfisherTestSupport
import TestHelpers
import Testing

/// Our pixels against those of other decoders, and of the values that the fixtures were made from.
@Suite struct BMPReferenceTests {
    private let codec = BMPCodec()

    /// Profiles are converted by other means than ours, whose rounding differs.
    private static let tolerances = ["BMP/calibrated.bmp": 2, "BMP/profile.bmp": 2, "BMP/profile8.bmp": 2]

    @Test func allReferencesExist() {
        #expect(References.bitmaps.count >= 60)
    }

    @Test(arguments: References.bitmaps) func pixelsAndHeaderMatch(name: String) throws {
        let data = try Fixtures.data(named: name)
        let pixels = try codec.decode(data, minimumSize: nil)
        let reference = try References.pixels(of: name)
        #expect(pixels.matches(reference, within: Self.tolerances[name] ?? 0), "\(name)")
        let header = try codec.header(of: data)
        #expect(header.size == pixels.size && header.orientation == .up && header.isLossless)
        #expect(header.bitsPerComponent == 8 && header.frameCount == 1)
        #expect(header.hasAlpha == !pixels.format.isOpaque)
        #expect(!codec.endsEarly(data))
    }

    @Test func profilesChangePixels() throws {
        for name in Self.tolerances.keys {
            var data = try Fixtures.data(named: name)
            let converted = try codec.decode(data, minimumSize: nil).packedBytes
            // "Win " instead of MBED or LCS_CALIBRATED_RGB.
            data.replaceSubrange(70..<74, with: [0x20, 0x6E, 0x69, 0x57])
            let stored = try codec.decode(data, minimumSize: nil).packedBytes
            let differences = zip(converted, stored).map { abs(Int($0) - Int($1)) }
            #expect(differences.max() ?? 0 > 20, "\(name)")
        }
    }

    @Test(arguments: References.bitmaps) func smallImagesEqualTheShrunkWhole(name: String) throws {
        let data = try Fixtures.data(named: name)
        // Whole images convert colours first, small ones last.
        guard Self.tolerances[name] == nil else { return }
        let whole = try codec.decode(data, minimumSize: nil)
        for (width, height) in [(1, 1), (4, 3), (8, 5), (16, 10)]
        where width <= whole.width && height <= whole.height {
            let target = PixelSize(width: width, height: height)
            let small = try codec.decode(data, shrunkTo: target)
            #expect(small.packedBytes == (try whole.resized(to: target)).packedBytes, "\(name) \(target)")
        }
    }

    @Test(arguments: [24, 32, 8]) func largeImagesAreShrunkWithoutACanvas(bits: Int) throws {
        var file = BitmapFile(width: 1_000, height: 800, body: Data())
        file.bits = bits
        var generator = SeededGenerator(seed: 3)
        file.body = Data(
            (0..<1_000 * 800 * bits / 8).map { _ in UInt8.random(in: 0...255, using: &generator) })
        if bits == 8 { file.palette = Data((0..<1_024).map { UInt8(truncatingIfNeeded: $0 &* 7) }) }
        let target = PixelSize(width: 50, height: 40)
        let data = file.data
        var limits = ImageLimits()
        limits.maximumFrameBytes = 1 << 20
        let context = DecodingContext(limits: limits)
        let small = try context.run { try codec.decode(data, shrunkTo: target) }
        #expect(context.run { codec.failure(of: data) } == .tooMuchMemory)
        let whole = try codec.decode(data, minimumSize: nil)
        #expect(small.packedBytes == (try whole.resized(to: target)).packedBytes)
        #expect(try codec.decodingMemory(of: data, target: target) < 2 << 20)
        #expect(try codec.decodingMemory(of: data, target: nil) >= whole.byteCount)
    }
}
