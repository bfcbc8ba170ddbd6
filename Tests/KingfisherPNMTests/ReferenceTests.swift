import Foundation
import KingfisherPNM
import KingfisherTestSupport
import TestHelpers
import Testing

/// Our samples against those of netpbm's pamdepth.
@Suite struct ReferenceTests {
    private let codec = PNMCodec()

    @Test func allReferencesExist() { #expect(References.names.count >= 50) }

    @Test(arguments: References.names) func samplesAndHeaderMatch(name: String) throws {
        let data = try Fixtures.data(named: name)
        let pixels = try codec.decode(data, minimumSize: nil)
        let reference = try References.samples(of: name, depth: pixels.format.depth)
        var samples = pixels.allSamples
        if pixels.format == .rgba8Opaque
            || pixels.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)
        {
            // The sample that the file does not have.
            let white = pixels.format.depth == .sixteen ? 65_535 : 255
            #expect(stride(from: 3, to: samples.count, by: 4).allSatisfy { samples[$0] == white })
            samples = samples.indices.filter { $0 % 4 != 3 }.map { samples[$0] }
        }
        #expect(samples == reference, "\(name)")
        let header = try codec.header(of: data)
        #expect(header.size == pixels.size && header.isLossless && header.frameCount == 1)
        #expect(header.hasAlpha == !pixels.format.isOpaque)
        #expect(header.bitsPerComponent <= pixels.bitsPerComponent)
        #expect(!codec.endsEarly(data))
    }

    @Test(arguments: References.names) func smallImagesEqualTheShrunkWhole(name: String) throws {
        let data = try Fixtures.data(named: name)
        let whole = try codec.decode(data, minimumSize: nil)
        // Whole images of 16 bits are not averaged in boxes.
        let tolerance = whole.format.depth == .sixteen ? 2_000 : 0
        for (width, height) in [(1, 1), (4, 3), (8, 5), (16, 10)] {
            let target = PixelSize(width: width, height: height)
            let small = try codec.decode(data, shrunkTo: target)
            let expected = try whole.resized(to: target)
            #expect(small.format == expected.format)
            let differences = zip(small.allSamples, expected.allSamples).map { abs($0 - $1) }
            #expect(differences.max() ?? 0 <= tolerance, "\(name) \(target)")
        }
    }

    @Test(arguments: [("P5", 1, 255), ("P6", 3, 255), ("P6", 3, 65_535)])
    func largeImagesAreShrunkWithoutACanvas(magic: String, channels: Int, maximum: Int) throws {
        let (width, height) = (1_000, 800)
        var generator = SeededGenerator(seed: 5)
        let count = width * height * channels * (maximum > 255 ? 2 : 1)
        let body = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let data = Data("\(magic)\n\(width) \(height)\n\(maximum)\n".utf8) + body
        var limits = ImageLimits()
        limits.maximumFrameBytes = 3 << 18
        let context = DecodingContext(limits: limits)
        let target = PixelSize(width: 50, height: 40)
        let small = try context.run { try codec.decode(data, shrunkTo: target) }
        #expect(small.size == target)
        #expect(context.run { codec.failure(of: data) } == .tooMuchMemory)
        let expected = try codec.decode(data, minimumSize: nil).resized(to: target)
        let differences = zip(small.allSamples, expected.allSamples).map { abs($0 - $1) }
        #expect(differences.max() ?? 0 <= (maximum > 255 ? 2_000 : 0))
        #expect(try codec.decodingMemory(of: data, target: target) < 2 << 20)
    }
}
