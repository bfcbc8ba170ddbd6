import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherImage

/// Formats, limits and strategies that apply to one call, not to the process.
@Suite struct DecodingContextTests {
    /// Returns one grey pixel, regardless of the data, and counts its calls.
    private final class GreyCodec: ImageCodec {
        let format = ImageFormat(name: "CONTEXT")
        let decodes = Mutex(0)

        func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: Array("context!".utf8)) }

        func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
            TestDecoder(1, 1) { _ throws(ImageCodecError) in
                self.decodes.withLock { $0 += 1 }
                return try PixelBuffer.decoding(
                    PixelSize(width: 1, height: 1), format: .gray8, zeroed: true
                ) { _, _ in }
            }
        }
    }

    private let file = Data("context! and more".utf8)

    @Test("The codecs of a context are used only in that context")
    func codecs() throws {
        var registry = CodecRegistry.builtIn
        registry.register(GreyCodec())
        let context = DecodingContext(codecs: registry)
        #expect(try context.run { try Image.decode(file).pixels?.width } == 1)
        #expect(context.run { ImageCodecs.formats.first?.name } == "CONTEXT")
        #expect(throws: ImageCodecError.unknownFormat) { try Image.decode(file) }
        #expect(!ImageCodecs.formats.contains { $0.name == "CONTEXT" })
        let empty = DecodingContext(codecs: CodecRegistry())
        let png = try Fixtures.data(named: "Photos/badge.png")
        #expect(throws: ImageCodecError.unknownFormat) { try empty.run { try Image.decode(png) } }
        #expect(empty.run { png.kf.imageFormat } == .unknown)
    }

    @Test("The limits of a context override those of the process, even if these change")
    func limits() throws {
        let png = try Fixtures.data(named: "Photos/badge.png")
        let info = try #require(png.kf.imageInfo)
        let size = PixelSize(width: info.width, height: info.height)
        let strict = DecodingContext(limits: ImageLimits(maximumPixels: size.area - 1))
        let lenient = DecodingContext(limits: ImageLimits())
        #expect(throws: ImageCodecError.tooLarge(width: size.width, height: size.height)) {
            try strict.run { try Image.decode(png) }
        }
        #expect(try strict.run { try lenient.run { try Image.decode(png).pixels } } != nil)
        #expect(DecodingContext.current == nil)
        #expect(strict.run { ImageLimits.maximumPixels } == size.area - 1)
        #expect(strict.run { ImageLimits.maximumFrames } == 10_000)
        let process = ImageLimits.maximumPixels
        #expect(strict.run { DecodingContext().run { ImageLimits.maximumPixels } } == process)
    }

    @Test("Errors propagate out of a context")
    func errors() {
        let context = DecodingContext()
        #expect(throws: ImageCodecError.unknownFormat) {
            try context.run { () throws(ImageCodecError) in throw .unknownFormat }
        }
        #expect(DecodingContext.current == nil)
    }

    @Test("Later frames of an animation use the limits of the context that created it")
    func frames() throws {
        let gif = try Fixtures.data(named: "GIF/disposal-mixed.gif")
        let info = try #require(gif.kf.imageInfo)
        let size = PixelSize(width: info.width, height: info.height)
        let image = try DecodingContext(limits: ImageLimits(maximumFrameBytes: 4 << 20)).run {
            try Image.decode(gif)
        }
        let frames = try #require(image.animationFrames)
        for frames in [frames, frames.copy(), frames.playingCopy] {
            // The limits of this context would refuse the frames.
            let seen = DecodingContext(limits: ImageLimits(maximumPixels: size.area - 1)).run {
                (0..<frames.frameCount).map { frames.frame(at: $0)?.size }
            }
            #expect(seen.allSatisfy { $0 == size })
        }
    }

    /// Replaces the codec of one format.
    private struct ReplacingStrategy: DecodingStrategy {
        let format: ImageFormat
        let codec: GreyCodec

        func codec(inPlaceOf codec: any ImageCodec) -> any ImageCodec {
            codec.format == format ? self.codec : codec
        }
    }

    @Test("A strategy replaces a registered codec and one that the call names")
    func strategy() throws {
        let codec = GreyCodec()
        let context = DecodingContext(strategy: ReplacingStrategy(format: .PNG, codec: codec))
        let (png, jpeg) = (
            try Fixtures.data(named: "Photos/badge.png"), try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        )
        #expect(try context.run { try Image.decode(png).pixels?.width } == 1)
        #expect(try context.run { try Image.decode(png, using: PNGCodec()).pixels?.width } == 1)
        #expect(
            try context.run {
                try Image.downsample(png, to: CGSize(width: 8, height: 8), scale: 1).pixels?.width
            } == 1)
        #expect(codec.decodes.withLock { $0 } == 3)
        #expect(try #require(try context.run { try Image.decode(jpeg).pixels?.width }) > 1)
    }
}
