import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("AVIF: files that arrive in pieces", .enabled(if: Tools.arePresent))
struct IncrementalTests {
    @Test("The image equals that of a complete decode", arguments: [1, 7, 100, 100_000])
    func pieces(_ length: Int) throws {
        let file = try Tools.encode([TestImages.gradients()], "-y", "420", "--irot", "1")
        let decoder = AVIFIncrementalDecoder()
        for start in stride(from: 0, to: file.count, by: length) {
            #expect(!decoder.isFinished)
            #expect(try decoder.image() == nil)
            try decoder.append(file[start..<min(start + length, file.count)])
        }
        #expect(decoder.isFinished)
        let image = try #require(try decoder.image())
        #expect(try PixelGrid(image) == PixelGrid(decode(file)))
    }

    /// `Fixtures/AVIF/layers.avif` has three layers, each in the bytes after the one before.
    @Test("The layers of a progressive file are shown one after another", arguments: [1, 16, 300])
    func layers(_ length: Int) throws {
        let file = try Fixtures.data(named: "AVIF/layers.avif")
        let references = try (0..<3).map { try PixelGrid(Tools.decode(file, frame: $0, layers: true)) }
        let decoder = AVIFIncrementalDecoder()
        var (shown, arrived): ([PixelGrid], [Int]) = ([], [])
        for start in stride(from: 0, to: file.count, by: length) {
            let end = min(start + length, file.count)
            try decoder.append(file[start..<end])
            guard decoder.decodedLayers > shown.count else { continue }
            #expect(decoder.isFinished == (decoder.decodedLayers == 3))
            let layer = try PixelGrid(try #require(try decoder.image()))
            #expect(try #require(layer.distance(to: references[decoder.decodedLayers - 1])) <= 1)
            shown.append(layer)
            arrived.append(end)
        }
        #expect(decoder.isFinished && shown.count == 3)
        #expect(arrived[0] < file.count / 2, "the first layer after \(arrived) of \(file.count) bytes")
        let quality = shown.map { $0.decibels(to: references[2]) }
        #expect(quality[0] + 3 < quality[1] && quality[1] + 3 < quality[2], "\(quality)")
    }

    @Test("A complete decode, and a small one, show the last layer")
    func lastLayer() throws {
        let file = try Fixtures.data(named: "AVIF/layers.avif")
        let last = try PixelGrid(Tools.decode(file, frame: 2, layers: true))
        #expect(try #require(PixelGrid(decode(file)).distance(to: last)) <= 1)
        #expect(try AVIFCodec().header(of: file).timing == nil)
        #expect(try AVIFCodec().frameSource(for: file) == nil)
        let target = PixelSize(width: 56, height: 42)
        let small = try AVIFCodec().decode(file, shrunkTo: target)
        let quality = try [0, 2].map { layer in
            let expected = try Tools.decode(file, frame: layer, layers: true).resized(to: target)
            return try PixelGrid(small).decibels(to: PixelGrid(expected))
        }
        // Planes are scaled before colours are clipped, so there is no equality.
        #expect(quality[1] > 28 && quality[1] > quality[0] + 1, "\(quality) decibels")
    }

    @Test("A sequence is unsupported, and other bytes are corrupt")
    func failures() throws {
        let file = try Tools.encode(SequenceTests.frames(2))
        #expect(throws: ImageCodecError.self) { try AVIFIncrementalDecoder().append(file) }
        #expect(throws: ImageCodecError.self) {
            try AVIFIncrementalDecoder().append(Data("this is not an AVIF file".utf8))
        }
    }
}
