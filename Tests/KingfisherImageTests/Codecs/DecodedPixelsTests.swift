import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

/// The colours of a file are converted after resizing, before a caller sees the pixels.
@Suite struct DecodedPixelsTests {
    /// Returns an upright gradient in Rec. 2020 colours, regardless of the data.
    private struct WideCodec: ImageCodec {
        let format = ImageFormat(name: "WIDE")
        let pixels: PixelBuffer
        let colors: ICCTransform

        init() throws {
            let rows = [UInt8](try Fixtures.data(named: "Color/gradient.rgba"))
            pixels = try Samples.buffer(
                48, .rgba8Opaque, rows.enumerated().map { $0 % 4 == 3 ? 255 : Int($1) })
            let profile = try Fixtures.data(named: "Color/rec2020.icc")
            colors = try #require(
                try profile.reading { reader throws(ImageCodecError) in ICCTransform.toSRGB(from: reader) })
        }

        func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { false }

        func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
            TestDecoder(pixels.size.width, pixels.size.height) {
                [pixels, colors] target throws(ImageCodecError) in
                try DecodedPixels(pixels, colors: colors).resized(to: target).finished()
            }
        }
    }

    @Test func decodedPixelsAreInSRGB() throws {
        let codec = try WideCodec()
        let expected = Samples.all(try codec.colors.converted(codec.pixels))
        #expect(Samples.all(try codec.decode(Data(), minimumSize: nil)) == expected)
        let image = try Image.decode(Data(), using: codec)
        #expect(Samples.all(try #require(image.pixels)) == expected)
        #expect(expected != Samples.all(codec.pixels))
    }

    @Test func shrinkingPrecedesColourConversion() throws {
        let codec = try WideCodec()
        let target = PixelSize(width: 12, height: 8)
        let expected = Samples.all(try codec.colors.converted(codec.pixels.resized(to: target)))
        let image = try Image.downsample(Data(), using: codec, to: CGSize(width: 12, height: 12), scale: 1)
        #expect(Samples.all(try #require(image.pixels)) == expected)
        #expect(expected != Samples.all(try codec.decode(Data(), minimumSize: nil).resized(to: target)))
    }

    @Test func rotationPreservesThePendingConversion() throws {
        let codec = try WideCodec()
        let stored = DecodedPixels(codec.pixels, colors: codec.colors)
        let turned = try stored.upright(from: .right).finished()
        let expected = try codec.decode(Data(), minimumSize: nil).upright(from: .right)
        #expect(Samples.all(turned) == Samples.all(expected))
    }
}
