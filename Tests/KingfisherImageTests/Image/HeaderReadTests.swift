import Foundation
import KingfisherImage
import Synchronization
import Testing

/// How often the header of a file is read, which decompresses an `.svgz` or asks a decoder process.
@Suite struct HeaderReadTests {
    private let codec = CountingCodec()

    private func codec(isScalable: Bool, keepsFile: Bool = true) -> CountingCodec {
        var codec = codec
        (codec.isScalable, codec.keepsFileBytes) = (isScalable, keepsFile)
        return codec
    }

    @Test("Decoding a still reads its header once", arguments: [false, true], [1.0, 2])
    func decode(isScalable: Bool, scale: Double) throws {
        let codec = codec(isScalable: isScalable)
        let image = try Image.decode(
            Data("x".utf8), using: codec, options: ImageCreatingOptions(scale: scale))
        #expect(codec.headerReads == 1)
        #expect(image.kf.fileBytes == Data("x".utf8))
        #expect(image.pixels?.width == (isScalable ? 24 * Int(scale) : 24))
    }

    @Test(
        "Downsampling reads the header once, also if the image keeps its pixels", arguments: [false, true],
        [5.0, 0])
    func downsample(isScalable: Bool, side: Double) throws {
        let codec = codec(isScalable: isScalable)
        let image = try Image.downsample(
            Data("x".utf8), using: codec, to: CGSize(width: side, height: side), scale: 1)
        #expect(codec.headerReads == 1)
        #expect(image.pixels?.width == (side == 0 ? 24 : 5))
    }

    @Test("The header is not read if nothing needs it")
    func unneeded() throws {
        let codec = codec(isScalable: false, keepsFile: false)
        #expect(try Image.decode(Data("x".utf8), using: codec).kf.fileBytes == nil)
        #expect(codec.headerReads == 0)
    }
}

/// A codec of empty images of 24 x 16 pixels.
private struct CountingCodec: ImageCodec {
    private final class Counter: Sendable {
        let reads = Atomic<Int>(0)
    }

    private let counter = Counter()
    var isScalable = false
    var keepsFileBytes = true

    var headerReads: Int { counter.reads.load(ordering: .relaxed) }
    var format: ImageFormat { ImageFormat(name: "COUNTED") }
    var capabilities: CodecCapabilities { isScalable ? [.decodesSmall, .decodesAnySize] : [] }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { true }

    func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        counter.reads.add(1, ordering: .relaxed)
        var header = ImageHeader(size: PixelSize(width: 24, height: 16))
        if isScalable { header.scalableSize = PixelSize(width: 24 << 10, height: 16 << 10) }
        return header
    }

    func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        let size = isScalable ? minimumSize : nil
        return try .decoding(
            size ?? PixelSize(width: 24, height: 16), format: .rgba8Opaque, zeroed: true
        ) { _, _ throws(ImageCodecError) in }
    }
}
