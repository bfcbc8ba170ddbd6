import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherImage

/// Messages for files that are not images.
@Suite struct FileFaultTests {
    private static let unread = "which no registered codec reads"
    private static let none = "no registered format (PNG, GIF); it begins with "
    private static let signedXL: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10]
    private static let unprintable: [UInt8] = [0x1B, 0x22, 0x5C, 0x7F, 0xC3, 0xA9]

    static let unknownFiles: [(Data, String)] = [
        (text("RIFF\u{4}\0\0\0WEBPVP8 "), "WebP, \(unread): KingfisherWebP does"),
        (boxes("avif"), "AVIF, \(unread)"),
        (boxes("mif1", "miaf", "avif"), "AVIF, \(unread)"),
        (boxes("heic", "mif1"), "HEIC, \(unread)"),
        (boxes("mif1"), "HEIF, \(unread)"),
        (boxes("crx ", "isom"), "camera RAW, \(unread)"),
        (boxes("isom", "mp42"), "MP4 or QuickTime, \(unread)"),
        (Data([0xFF, 0x0A] as [UInt8]), "JPEG XL, \(unread)"),
        (Data(signedXL), "JPEG XL, \(unread)"),
        (text("II*\0\u{8}\0\0\0\0"), "TIFF, \(unread)"),
        (text("II*\0\u{10}\0\0\0CR\u{2}\0"), "camera RAW, \(unread)"),
        (text("FUJIFILMCCD-RAW 0201"), "camera RAW, \(unread)"),
        (text("IIU\0\u{18}\0\0\0\0"), "camera RAW, \(unread)"),
        (text("MMOR\0\0\0\u{8}\0"), "camera RAW, \(unread)"),
        (text("BM\u{3E}\0\0\0\0\0\0\0\u{3E}"), "BMP, \(unread)"), (text("P6\n1 1 255\n"), "PNM, \(unread)"),
        (text("<svg xmlns=''/>"), "SVG, \(unread)"),
        (text("\u{FEFF}<?xml version='1.0'?>\n<!-- a <b> -->\n<!DOCTYPE svg>"), "SVG, \(unread)"),
        (
            text("<!DOCTYPE HTML><title>no</title>"),
            #"HTML, not an image; it begins with "<!DOCTYPE HTML><"…"#
        ),
        (text("\n<html>"), #"HTML, not an image; it begins with "\x0A<html>""#),
        (text("hello"), none + #""hello""#),
        (Data(unprintable), none + #""\x1B\"\\\x7F\xC3\xA9""#),
        (text("0123456789abcdefg"), none + #""0123456789abcdef"…"#),
        // Truncated boxes and markup, and boxes with a wrong length.
        (text("\0\0\0\u{9}ftypavi"), none + #""\x00\x00\x00\x09ftypavi""#),
        (text("\u{7F}\0\0\0ftypavif1"), "AVIF, \(unread)"),
        (text("<!-- svg"), none + #""<!-- svg""#),
    ]

    @Test("An unknown file is described by its format or its first bytes", arguments: unknownFiles)
    func unknown(data: Data, words: String) {
        let message = UnknownFile(data, formats: [.PNG, .GIF]).message
        #expect(words.hasSuffix("does") ? message.hasPrefix(words) : message == words)
        // A slice whose indices do not start at 0.
        #expect(UnknownFile((Data([1]) + data).dropFirst(), formats: [.PNG, .GIF]).message == message)
    }

    @Test(
        "The message for WebP names the product and the call to register, unless a WebP codec is registered")
    func webP() {
        let data = Data("RIFF\u{4}\0\0\0WEBP".utf8)
        let message = UnknownFile(data, formats: [.PNG]).message
        #expect(message.contains("KingfisherWebP") && message.contains("ImageCodecs.register(.webP)"))
        #expect(!UnknownFile(data, formats: [ImageFormat(name: "WEBP")]).message.contains("register("))
    }

    private static func text(_ text: String) -> Data { Data(text.utf8) }

    private static func boxes(_ brands: String...) -> Data {
        var data = Data([0, 0, 0, UInt8(12 + 4 * brands.count)]) + Data("ftyp".utf8)
        data += Data(brands[0].utf8) + [0, 0, 0, 0] + Data(brands.dropFirst().joined().utf8)
        // Bytes after the box are not a brand.
        return data + Data("avifheic".utf8)
    }

    @Test("The message for an unreadable file states the reason, with the format")
    func broken() throws {
        let jpeg = try Fixtures.data(named: "Photos/coffee.jpg")
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        let gif = try Fixtures.data(named: "GIF/delays.gif")
        #expect(ImageCodecs.fault(in: Data()) == "the body is empty")
        #expect(ImageCodecs.fault(in: jpeg.prefix(jpeg.count / 2)) == "the JPEG is truncated")
        #expect(ImageCodecs.fault(in: jpeg.prefix(20)) == "the JPEG is truncated")
        #expect(ImageCodecs.fault(in: png.prefix(png.count - 20)) == "the PNG is truncated")
        #expect(ImageCodecs.fault(in: Data([1, 2, 3]))?.hasSuffix(#"begins with "\x01\x02\x03""#) == true)
        var damaged = png
        damaged[png.count / 2] ^= 0xFF
        let text = try #require(ImageCodecs.fault(in: damaged))
        #expect(text.hasPrefix("the PNG is corrupt: ") && text.count > 25)
        for whole in [jpeg, png, gif] { #expect(ImageCodecs.fault(in: whole) == nil) }
    }

    @Test(
        "The message for a file above a limit states the limit",
        arguments: [
            (
                "PNG/rgba8.png", ImageLimits(maximumPixels: 100),
                "the PNG has 33 x 21 pixels, more than the 100 of ImageLimits.maximumPixels"
            ),
            (
                "PNG/rgba8.png", ImageLimits(maximumFrameBytes: 100),
                "the 100 bytes of ImageLimits.maximumFrameBytes"
            ),
            (
                "GIF/delays.gif", ImageLimits(maximumAnimationPixels: 100),
                "the GIF has more pixels in all its frames than the 100 of ImageLimits.maximumAnimationPixels"
            ),
            (
                "GIF/delays.gif", ImageLimits(maximumFrames: 1),
                "the GIF has more frames than the 1 of ImageLimits.maximumFrames"
            ),
        ])
    func exceeding(file: String, limits: ImageLimits, words: String) throws {
        let data = try Fixtures.data(named: file)
        let message = try #require(DecodingContext(limits: limits).run { ImageCodecs.fault(in: data) })
        #expect(words.hasPrefix("the 100") ? message.hasSuffix(words) : message == words)
    }

    @Test("Diagnosing decodes at most once, and not at all if the header is refused")
    func work() {
        let codec = CountingCodec()
        ImageCodecs.register(codec)
        defer { ImageCodecs.unregister(codec.format) }
        #expect(ImageCodecs.fault(in: Data("KFFAULTS: header".utf8)) == "a header like this is not supported")
        #expect(codec.decodes == 0)
        #expect(ImageCodecs.fault(in: Data("KFFAULTS: pixels".utf8)) == "the FAULTS is corrupt: grey")
        #expect(codec.decodes == 1)
    }

    @Test(
        "Each error has the same text as error and as localized description",
        arguments: [
            (ImageCodecError.unknownFormat, "the format of the image is not registered"),
            (.truncated, "the image is truncated"), (.corrupt("why"), "the image is corrupt: why"),
            (.tooLarge(width: 0, height: 5), "the image has 0 x 5 pixels, which is not a valid size"),
            (.unsupported("this"), "this is not supported"), (.emptyImage, "the image has no pixels"),
        ])
    func words(error: ImageCodecError, text: String) {
        #expect(error.errorDescription == text && (error as any Error).localizedDescription == text)
    }
}

/// A format whose files fail either in the header or in the pixels.
private final class CountingCodec: ImageCodec {
    let format = ImageFormat(name: "FAULTS")
    private let count = Mutex(0)

    var decodes: Int { count.withLock { $0 } }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: "KFFAULTS".utf8) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        guard file.data.last == UInt8(ascii: "s") else { throw .unsupported("a header like this") }
        return TestDecoder(2, 2) { _ throws(ImageCodecError) in
            self.count.withLock { $0 += 1 }
            throw .corrupt("grey")
        }
    }
}
