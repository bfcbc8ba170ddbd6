import Foundation
import KingfisherCodecSupport
import KingfisherSVG
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
        let comment = "<!--" + String(repeating: " ", count: 70_000) + "--><svg/>"
        #expect(throws: ImageCodecError.corrupt("no element svg")) {
            try Samples.codec.header(of: Data(comment.utf8))
        }
    }
}
