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

    /// The types in the table of the page on processors, which says that all keep 16 bits.
    private func documentedProcessors() throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = root.appending(path: "Sources/Core/Kingfisher/Kingfisher.docc/Processors.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| ``") }
        return Set(
            rows.flatMap { row in
                row.dropFirst().prefix { $0 != "|" }.split(separator: "`").map(String.init)
                    .filter { $0.contains("Processor") }
            })
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

    @Test("Each processor of its page keeps 16 bits", arguments: ["source-16", "source-gray16"])
    func depth(name: String) throws {
        let processors = try processors()
        #expect(try documentedProcessors() == Set(processors.keys))
        for (type, processor) in processors {
            let file = try file(name)
            let made = StubSVG.context.run { processor.process(item: .data(file), options: options) }
            let image = try #require(made, "\(type)")
            let pixels = try #require(image.pixels)
            #expect(pixels.bitsPerComponent == 16, "\(type)")
            // Samples that are not 8-bit values widened to 16 bits.
            #expect(samples(pixels).contains { $0 % 257 != 0 }, "\(type)")
            #expect(image.kf.scaled(to: 2).pixels === pixels)
        }
        let chain =
            DownsamplingImageProcessor(size: CGSize(width: 30, height: 30))
            |> CroppingImageProcessor(size: CGSize(width: 9, height: 9))
        #expect(chain.process(item: .data(try file(name)), options: options)?.pixels?.bitsPerComponent == 16)
    }

    @Test("Frames of a processed animation keep 16 bits")
    func frames() throws {
        let data = try Fixtures.data(named: "APNG/rgba16.apng")
        // These need larger frames.
        let others = ["TrimmingImageProcessor", "ExtractingImageProcessor"]
        for (type, processor) in try processors() where !others.contains(type) {
            let options = KingfisherParsedOptionsInfo([.processor(processor), .processesAnimatedFrames])
            let made = StubSVG.context.run {
                options.processor.process(item: .data(data), options: options)
            }
            let source = try #require(made?.kf.frameSource, "\(type)")
            let frames = StubSVG.context.run { (0..<source.frameCount).compactMap(source.frame(at:)) }
            #expect(frames.count == source.frameCount && source.frameCount > 1, "\(type)")
            #expect(frames.allSatisfy { $0.bitsPerComponent == 16 }, "\(type)")
        }
    }

    @Test("Memory is reserved for eight bytes a pixel")
    func memory() throws {
        let file = try file("source-16")
        let size = try #require(file.imageHeader()?.size)
        let blur = KingfisherParsedOptionsInfo([.processor(BlurImageProcessor(blurRadius: 4))])
        #expect(blur.processingMemory(for: .data(file)) >= 2 * 8 * size.area)
        let animation = try Fixtures.data(named: "APNG/rgba16.apng")
        let header = try #require(animation.imageHeader())
        func memory(_ options: KingfisherOptionsInfo) -> Int {
            KingfisherParsedOptionsInfo(options).processingMemory(for: .data(animation))
        }
        #expect(
            memory([.preloadAllAnimationData]) - memory([]) == 8 * header.size.area * header.frameCount)
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
