import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// A 16-bit PNG preserves its depth through decoding, geometric processors and both caches.
@Suite struct SixteenBitTests {
    private let options = KingfisherParsedOptionsInfo(nil)

    private func file(_ name: String) throws -> Data { try Fixtures.data(named: "Drawing/\(name).png") }

    private func samples(_ pixels: PixelBuffer) -> [Int] {
        (0..<pixels.height).flatMap { y in
            (0..<pixels.width).flatMap { x in pixels.samples(x: x, y: y) ?? [] }
        }
    }

    private func reference(_ name: String) throws -> [Int] {
        let bytes = try Fixtures.data(named: "Drawing/\(name)").map(Int.init)
        return stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] | bytes[$0 + 1] << 8 }
    }

    /// Reference: Pillow's Lanczos in floating point; within 2 of 65,535.
    @Test(
        "Resizing a 16-bit image gives the 16-bit Lanczos result",
        arguments: [
            ("source-16", "resize-16-37x29.rgba16"), ("source-gray16", "resize-gray16-37x29.gray16"),
        ])
    func resizing(name: String, expected: String) throws {
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 37, height: 29))
        let image = try #require(processor.process(item: .data(file(name)), options: options))
        let pixels = try #require(image.pixels)
        #expect(pixels.bitsPerComponent == 16)
        let (ours, theirs) = (samples(pixels), try reference(expected))
        #expect(ours.count == theirs.count)
        #expect(zip(ours, theirs).allSatisfy { abs($0 - $1) <= 2 })
    }

    /// Whether the page on processors says that a processor keeps 16 bits, by the name of its type.
    private func documentedDepths() throws -> [String: Bool] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = root.appending(path: "Sources/Core/Kingfisher/Kingfisher.docc/Processors.md")
        let meanings = ["stay 16 bits": true, "become 8 bits": false]
        var depths: [String: Bool] = [:]
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| ``"), cells.count == 3 else { continue }
            let keepsDepth = try #require(meanings[cells[2]] as Bool?)
            for name in cells[0].split(separator: "`").map(String.init) where name != ", " {
                depths[name] = keepsDepth
            }
        }
        return depths
    }

    /// Every built-in processor, by the name of its type.
    private func processors() throws -> [String: any ImageProcessor] {
        let mark = try #require(
            DefaultImageProcessor.default.process(item: .data(file("source-16")), options: options))
        let steps = try StepGrammar.standard.definitions.map { try ProcessingStep($0.example) }
        var processors: [String: any ImageProcessor] = [
            "DefaultImageProcessor": DefaultImageProcessor.default,
            "PixelFilterProcessor": SepiaProcessor(),
        ]
        for step in steps {
            let marks = ["logo.png": WatermarkImageProcessor.Mark(mark, name: "logo")]
            let processor = try #require([step].processor(watermarks: marks))
            processors["\(type(of: processor))"] = processor
        }
        return processors
    }

    @Test("Each processor keeps 16 bits or not as its page says", arguments: ["source-16", "source-gray16"])
    func depth(name: String) throws {
        let (documented, processors) = (try documentedDepths(), try processors())
        #expect(Set(documented.keys) == Set(processors.keys))
        for (type, processor) in processors {
            let file = try file(name)
            let made = StubSVG.context.run { processor.process(item: .data(file), options: options) }
            let image = try #require(made, "\(type)")
            let pixels = try #require(image.pixels)
            #expect((pixels.bitsPerComponent == 16) == documented[type], "\(type)")
            guard pixels.bitsPerComponent == 16 else { continue }
            // Samples that are not 8-bit values widened to 16 bits.
            #expect(samples(pixels).contains { $0 % 257 != 0 }, "\(type)")
            #expect(image.kf.scaled(to: 2).pixels === pixels)
        }
        let chain =
            DownsamplingImageProcessor(size: CGSize(width: 30, height: 30))
            |> CroppingImageProcessor(size: CGSize(width: 9, height: 9))
        #expect(chain.process(item: .data(try file(name)), options: options)?.pixels?.bitsPerComponent == 16)
    }

    @Test("The disk cache stores all 16 bits", arguments: ["source-16", "source-gray16"])
    func diskCache(name: String) throws {
        let data = try file(name)
        let processor = DownsamplingImageProcessor(size: CGSize(width: 30, height: 30))
        let image = try #require(processor.process(item: .data(data), options: options))
        let before = try #require(image.pixels)
        let serializers: [any CacheSerializer] = [
            DefaultCacheSerializer.default, FormatIndicatedCacheSerializer.png,
        ]
        for serializer in serializers {
            let bytes = try #require(serializer.data(with: image, original: data))
            // The bit depth in IHDR.
            #expect(bytes.kf.imageFormat == .PNG && bytes[bytes.startIndex + 24] == 16)
            let after = try #require(serializer.image(with: bytes, options: options)?.pixels)
            #expect(after.bitsPerComponent == 16)
            let straight = PixelFormat(
                layout: before.format.layout, depth: .sixteen,
                alpha: after.format.isOpaque ? .opaque : .straight)
            #expect(try samples(after) == samples(before.converted(to: straight)))
        }
    }
}
