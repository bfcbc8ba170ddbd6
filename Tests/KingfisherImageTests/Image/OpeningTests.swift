import Foundation
import KingfisherImage
import Synchronization
import TestHelpers
import Testing

/// How often a file is opened, which decompresses an `.svgz` or asks a decoder process.
@Suite struct OpeningTests {
    private let codec = CountingCodec()

    private func codec(isScalable: Bool, keepsFile: Bool = true) -> CountingCodec {
        var codec = codec
        (codec.isScalable, codec.keepsFileBytes) = (isScalable, keepsFile)
        return codec
    }

    @Test("Decoding a still opens the file once", arguments: [false, true], [1.0, 2])
    func decode(isScalable: Bool, scale: Double) throws {
        let codec = codec(isScalable: isScalable)
        let image = try Image.decode(
            Data("x".utf8), using: codec, options: ImageCreatingOptions(scale: scale))
        #expect(codec.openings == 1)
        #expect(image.kf.fileBytes == Data("x".utf8))
        #expect(image.pixels?.width == (isScalable ? 24 * Int(scale) : 24))
    }

    @Test(
        "Downsampling opens the file once, also if the image keeps its pixels", arguments: [false, true],
        [5.0, 0])
    func downsample(isScalable: Bool, side: Double) throws {
        let codec = codec(isScalable: isScalable)
        let image = try Image.downsample(
            Data("x".utf8), using: codec, to: CGSize(width: side, height: side), scale: 1)
        #expect(codec.openings == 1)
        #expect(image.pixels?.width == (side == 0 ? 24 : 5))
    }

    @Test("In one piece of work, a file is opened once for all callers")
    func work() throws {
        let file = Data(repeating: 7, count: 100)
        let context = DecodingContext(codecs: CodecRegistry([codec]))
        let widths = try context.run {
            try DecodingWork.run {
                [
                    try ImageCodecs.open(file).header.size.width,
                    try ImageCodecs.open(file).header.size.width,
                    try Image.decode(file).pixels?.width,
                ]
            }
        }
        #expect(widths == [24, 24, 24])
        #expect(codec.openings == 1)
        _ = try context.run { try ImageCodecs.open(file) }
        #expect(codec.openings == 2)
    }

    @Test("A task that outlives the work in which it was started keeps no file")
    func outlived() async throws {
        let file = Data(repeating: 7, count: 100)
        let context = DecodingContext(codecs: CodecRegistry([codec]))
        let gate = AsyncStream<Void>.makeStream()
        let task = try context.run {
            try DecodingWork.run {
                _ = try ImageCodecs.open(file)
                return Task {
                    for await _ in gate.stream {}
                    for _ in 0..<3 { _ = try ImageCodecs.open(file) }
                }
            }
        }
        gate.continuation.finish()
        try await task.value
        #expect(codec.openings == 4)
    }
}

/// A codec of empty images of 24 x 16 pixels.
private struct CountingCodec: ImageCodec {
    private final class Counter: Sendable {
        let openings = Atomic<Int>(0)
    }

    private let counter = Counter()
    var isScalable = false
    var keepsFileBytes = true

    var openings: Int { counter.openings.load(ordering: .relaxed) }
    var format: ImageFormat { ImageFormat(name: "COUNTED") }
    var capabilities: CodecCapabilities { isScalable ? [.decodesSmall, .decodesAnySize] : [] }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { true }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        counter.openings.add(1, ordering: .relaxed)
        var header = ImageHeader(size: PixelSize(width: 24, height: 16))
        if isScalable { header.scalableSize = PixelSize(width: 24 << 10, height: 16 << 10) }
        let isScalable = isScalable
        return TestDecoder(header) { target throws(ImageCodecError) in
            let size = isScalable ? target.size : nil
            return try .decoding(
                size ?? PixelSize(width: 24, height: 16), format: .rgba8Opaque, zeroed: true
            ) { _, _ throws(ImageCodecError) in }
        }
    }
}
