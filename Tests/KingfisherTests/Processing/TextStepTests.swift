import Foundation
import Kingfisher
import TestHelpers
import Testing

/// The step `text` and its processor, without a codec that draws.
@Suite struct TextStepTests {
    private func step(_ text: String, _ rest: String = "") throws -> ProcessingStep {
        let base64 = Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return try ProcessingStep("text:\(base64)\(rest)")
    }

    private func white(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try .make([UInt8](repeating: 255, count: width * height * 4), width: width, format: .rgba8Opaque)
    }

    private static let long = String(repeating: "\u{E9}", count: 128)

    @Test(arguments: [
        "", " ", "\u{3000}\u{A0}", "a\nb", "a\r", "\t", "a\u{0}", "\u{7F}", "\u{85}", "a\u{2028}b",
        "\u{2029}",
        "\u{FFFE}", "\u{FFFF}", "a\u{1FFFE}", long + "a", "\u{1B}[31m",
    ])
    func `Text that is blank, too long or not one line is refused`(_ text: String) {
        let error = #expect(throws: ProcessingStepError.self) { try step(text) }
        if !text.isEmpty { #expect(error.map { "\($0)".contains("one line of 1 to 256 bytes") } == true) }
    }

    @Test(arguments: ["text:_w", "text:w6n_", "text:7aCA", "text:4oCo", "text:AA"])
    func `Bytes that are no text are refused`(_ text: String) {
        #expect(throws: ProcessingStepError.self) { try ProcessingStep(text) }
    }

    @Test(arguments: [
        "a", long, "</text><image href='x'/>", "&#65;&lt;", "]]>", "שלום", "a  b", "👩‍👩‍👧", "\u{202E}a",
    ])
    func `Every other line is the text of the processor`(_ text: String) throws {
        let processor = try #require(step(text).processor as? TextImageProcessor)
        #expect(Array(processor.text.utf8) == Array(text.utf8))
        #expect(processor.identifier == TextImageProcessor(text).identifier)
    }

    @Test func `Different parameters have different identifiers, equal ones the same`() throws {
        let steps = try [
            step("a"), step("b"), step("\u{E9}"), step("e\u{301}"), step("a_b"), step("a", ",top"),
            step("a", ",0.5,0.1"), step("a", ",top,20"), step("a", ",top,20%w"), step("a", ",top,20%h"),
            step("a", ",#808080"), step("a", ",#7f7f7f"), step("a", ",#80808080"), step("a", ",top,20,#000"),
        ]
        #expect(Set(steps.map(\.processor.identifier)).count == steps.count)
        #expect(try step("a") == step("a", ",bottomRight,5%h,#ffff"))
        #expect(try step("a", ",top,20.0") == step("a", ",0.5,0,20"))
    }

    @Test func `A program's text becomes one line of at most 256 bytes`() {
        #expect(TextImageProcessor("a\nb\u{0}").text == "a\u{FFFD}b\u{FFFD}")
        let cut = TextImageProcessor("a" + String(repeating: "\u{1F469}\u{200D}\u{1F467}", count: 90)).text
        #expect(cut.utf8.count == 1 + 255 / 11 * 11 && cut.unicodeScalars.last == "\u{1F467}")
        #expect(TextImageProcessor("a\nb").identifier == TextImageProcessor("a\u{FFFD}b").identifier)
    }

    @Test func `Without a codec for SVG no image is made, and the fault says why`() throws {
        let image = Image(pixels: try white(8, 8))
        let options = KingfisherParsedOptionsInfo(nil)
        let processor = TextImageProcessor("a")
        let none = DecodingContext(codecs: .builtIn)
        #expect(none.run { processor.process(item: .image(image), options: options) } == nil)
        #expect(none.run { TextImageProcessor.fault } == "text without the format SVG is not supported")
        #expect(StubSVG.context.run { TextImageProcessor.fault } == nil)
    }

    @Test(arguments: [(1.0, 1.0), (3, 1), (1, 40), (400, 5), (64, 64)])
    func `Text is never larger than the image`(_ width: Double, _ height: Double) throws {
        let pixels = try white(Int(width), Int(height))
        for size in [Radius.point(500), .heightFraction(1), .widthFraction(0.01), .point(.nan), .point(-1)] {
            let processor = TextImageProcessor(Self.long, size: size)
            let made = StubSVG.context.run {
                processor.process(
                    item: .image(Image(pixels: pixels)), options: KingfisherParsedOptionsInfo(nil))
            }
            #expect(made?.size == CGSize(width: width, height: height))
        }
    }
}
