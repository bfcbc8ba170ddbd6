import Foundation
import KingfisherCodecSupport
import KingfisherSVG
import TestHelpers
import Testing

@Suite("SVG: detection and size")
struct HeaderTests {
    @Test("The codec names its extensions, media type and library")
    func names() {
        let codec = Samples.codec
        #expect(codec.fileExtensions == ["svg", "svgz"])
        #expect(codec.mediaType == "image/svg+xml")
        #expect(codec.version.hasPrefix("librsvg 2."))
        #expect(codec.capabilities.contains(.decodesAnySize))
    }

    @Test(
        "A document is detected by its root element",
        arguments: [
            "<svg/>   ", "<svg width='1'>", "\u{FEFF}<?xml version='1.0'?>\n<!-- a < b -->\n<svg >",
            "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/x.dtd' [\n"
                + "<!ENTITY a '>'> <!-- ' --> ]>\r\n\t<svg\nx:y=\"<>\">", "<s:svg xmlns:s='x'/>",
        ])
    func detected(text: String) {
        #expect(CodecRegistry([Samples.codec]).codec(for: Data(text.utf8))?.format == .svg)
    }

    @Test("UTF-16 with a byte order mark is detected, and rendered like UTF-8", arguments: [false, true])
    func utf16(_ isBigEndian: Bool) throws {
        let text = try #require(String(data: Samples.drawing, encoding: .utf8))
        let declared = "<?xml version='1.0' encoding='UTF-16'?><!-- \u{1F426} -->" + text
        let units = [0xFEFF] + declared.utf16
        let bytes = units.flatMap { unit -> [UInt8] in
            let pair = [UInt8(unit >> 8), UInt8(unit & 255)]
            return isBigEndian ? pair : pair.reversed()
        }
        #expect(CodecRegistry([Samples.codec]).codec(for: Data(bytes))?.format == .svg)
        #expect(try Samples.codec.header(of: Data(bytes)) == Samples.codec.header(of: Samples.drawing))
        let (found, expected) = (
            try Samples.codec.decode(Data(bytes), minimumSize: nil),
            try Samples.codec.decode(Samples.drawing, minimumSize: nil)
        )
        #expect(try PixelGrid(found) == PixelGrid(expected))
        #expect(CodecRegistry([Samples.codec]).codec(for: Data(bytes.prefix(3))) == nil)
    }

    @Test("A root element after 200 KB of comments is found")
    func comments() throws {
        let comments = Data(
            (0..<2_000).flatMap { "<!-- \($0) \(String(repeating: "a", count: 100)) -->\n".utf8 })
        let file = comments + Samples.file()
        #expect(CodecRegistry([Samples.codec]).codec(for: file)?.format == .svg)
        #expect(try Samples.codec.header(of: file).size == PixelSize(width: 24, height: 16))
        #expect(try Samples.codec.decode(file, minimumSize: nil).width == 24)
        let compressed = try Samples.gzip(file)
        #expect(CodecRegistry([Samples.codec]).codec(for: compressed)?.format == .svg)
        #expect(CodecRegistry([Samples.codec]).codec(for: comments) == nil)
        #expect(throws: ImageCodecError.truncated) { try Samples.codec.header(of: comments) }
    }

    @Test("A document above the limit of pixels is rendered to a small target")
    func huge() throws {
        let file = Samples.file(
            "<rect width='100%' height='100%' fill='#f00'/>", attributes: #"width="20000" height="10000""#)
        let size = CGSize(width: 100, height: 100)
        let image = try Image.downsample(file, using: Samples.codec, to: size, scale: 1)
        #expect(image.pixels?.size == PixelSize(width: 100, height: 50))
        #expect(image.pixels?.samples(x: 50, y: 25) == [255, 0, 0, 255])
        let covering = try Samples.codec.decode(file, minimumSize: PixelSize(width: 10, height: 10))
        #expect(covering.size == PixelSize(width: 20, height: 10))
        #expect(throws: ImageCodecError.tooLarge(width: 20_000, height: 10_000)) {
            try Samples.codec.decode(file, minimumSize: nil)
        }
    }

    @Test(
        "Other text is not detected",
        arguments: [
            "<html><svg/></html>", "svg svg svg", "<!-- <svg/> --><x/>", "<svgx width='1'/>", "<svg width",
            "<?xml version='1.0'?>", "<!DOCTYPE svg [ <svg/>", "<svg width=1>", "         ", "<svg a='",
        ])
    func rejected(text: String) {
        #expect(CodecRegistry([Samples.codec]).codec(for: Data(text.utf8)) == nil)
    }

    @Test("A compressed document is detected, also by its start")
    func compressed() throws {
        let file = try Samples.gzip(Samples.circles(5000))
        let registry = CodecRegistry([Samples.codec])
        #expect(registry.codec(for: file)?.format == .svg)
        #expect(registry.codec(for: file.prefix(400))?.format == .svg)
        #expect(registry.codec(for: try Samples.gzip(Data("not an image".utf8))) == nil)
        #expect(registry.codec(for: Data([0x1F, 0x8B, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])) == nil)
        #expect(try Samples.codec.header(of: file).size == PixelSize(width: 64, height: 48))
    }

    @Test(
        "The size follows from width, height and viewBox",
        arguments: [
            (#"width="24" height="16""#, 24, 16), (#"width="24.6px" height="1e1""#, 25, 10),
            (#"width="1in" height="2.54cm""#, 96, 96), (#"width="10mm" height="40Q""#, 38, 38),
            (#"width="72pt" height="6pc""#, 96, 96), (#"width="2em" height="2ex""#, 32, 16),
            (#"viewBox="0 0 64 40""#, 64, 40), (#"width="32" viewBox="0,0,64,40""#, 32, 20),
            (#"height="10" viewBox="-5 -5 64 40""#, 16, 10),
            (#"width="100%" height="100%" viewBox="0 0 64 40""#, 64, 40), ("", 300, 150),
            (#"width="40""#, 40, 150), (#"width="0" height="-3" viewBox="0 0 7 9""#, 7, 9),
            (#"width="a" height="3xx" viewBox="0 0 7 9""#, 7, 9), (#"viewBox="0 0 nan 9""#, 300, 150),
            (#"viewBox="0 0 inf 9""#, 300, 150), (#"viewBox="0 0 9""#, 300, 150),
            (#"width="0.1" height="0.2""#, 1, 1), (#"width="1e-300" height="1e300""#, 1, 1_000_000),
            (#"width=" 24 " height='16'"#, 24, 16),
        ])
    func size(attributes: String, width: Int, height: Int) throws {
        let header = try Samples.codec.header(of: Samples.file(attributes: attributes))
        #expect(header.size == PixelSize(width: width, height: height))
        #expect(header.hasAlpha)
        #expect(header.frameCount == 1)
    }

    @Test("The scalable size has the exact shape of the document")
    func shape() throws {
        let header = try Samples.codec.header(of: Samples.file(attributes: #"width="1.5" height="1""#))
        #expect(header.size == PixelSize(width: 2, height: 1))
        #expect(header.scalableSize == PixelSize(width: 65_536, height: 43_691))
    }

    @Test("A document that ends before its root element does is truncated; another root is corrupt")
    func invalid() {
        #expect(throws: ImageCodecError.truncated) {
            try Samples.codec.header(of: Data("<?xml version='1.0'?> <svg width='".utf8))
        }
        #expect(throws: ImageCodecError.truncated) { try Samples.codec.header(of: Data()) }
        #expect(throws: ImageCodecError.corrupt("no element svg")) {
            try Samples.codec.header(of: Data("<html/>".utf8))
        }
        let comment = "<!--" + String(repeating: " ", count: 1 << 20) + "--><svg/>"
        #expect(throws: ImageCodecError.corrupt("no element svg")) {
            try Samples.codec.header(of: Data(comment.utf8))
        }
    }
}
