import Foundation
import Kingfisher
import KingfisherSVG
import KingfisherTestSupport
import TestHelpers
import Testing

/// Text that is drawn over images.
@Suite struct TextDrawingTests {
    private static let context: DecodingContext = {
        var codecs = CodecRegistry.builtIn
        codecs.register(SVGCodec())
        return DecodingContext(codecs: codecs)
    }()

    private func drawn(
        _ text: String, _ anchor: CGPoint = CGPoint(x: 0.5, y: 0.5), _ size: Radius = .point(20),
        _ color: Color = .red, on width: Int = 300, _ height: Int = 60, scale: CGFloat = 1
    ) throws -> PixelBuffer {
        let pixels = try TestImages.make(width, height, .rgba8Opaque) { _, _ in [1, 1, 1, 1] }
        let processor = TextImageProcessor(text, anchor: anchor, size: size, color: color)
        let made = Self.context.run {
            processor.process(
                item: .image(Image(pixels: pixels, scale: scale)),
                options: KingfisherParsedOptionsInfo([.scaleFactor(scale)]))
        }
        return try #require(made?.pixels)
    }

    /// The columns and rows with letters.
    private func ink(_ pixels: PixelBuffer) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>)? {
        var columns: [Int] = []
        var rows: [Int] = []
        for y in 0..<pixels.height {
            for x in 0..<pixels.width where pixels.samples(x: x, y: y)?[1] ?? 255 < 128 {
                columns.append(x)
                rows.append(y)
            }
        }
        guard let left = columns.min(), let right = columns.max(), let top = rows.min() else { return nil }
        return (left...right, top...(rows.max() ?? top))
    }

    @Test func `Text has its colour and its place, and a distance from the edges`() throws {
        let center = try #require(ink(drawn("HHH")))
        // Capital letters of DejaVu and Liberation are 0.69 to 0.73 of the font high.
        #expect((12...16).contains(center.rows.count) && (30...60).contains(center.columns.count))
        #expect(abs(center.columns.lowerBound - (299 - center.columns.upperBound)) <= 2)
        let corner = try #require(ink(drawn("HHH", CGPoint(x: 0, y: 0))))
        #expect((3...9).contains(corner.columns.lowerBound) && (3...9).contains(corner.rows.lowerBound))
        let end = try #require(ink(drawn("HHH", CGPoint(x: 1, y: 1))))
        #expect((290...296).contains(end.columns.upperBound) && (48...56).contains(end.rows.upperBound))
        let solid = try drawn("█", size20).samples(x: 150, y: 30)
        #expect(solid == [255, 0, 0, 255])
        let half = try drawn("█", size20, .point(20), Color(red: 0, green: 0, blue: 1, alpha: 0.5))
        #expect(half.samples(x: 150, y: 30).map { abs($0[0] - 128) <= 1 && $0[2] == 255 } == true)
    }

    private let size20 = CGPoint(x: 0.5, y: 0.5)

    @Test func `Sizes are points, or fractions of the image's sides`() throws {
        let whole = try #require(ink(drawn("H", size20, .point(40))))
        for pixels in [
            try drawn("H", size20, .heightFraction(2.0 / 3)),
            try drawn("H", size20, .widthFraction(2.0 / 15)),
            try drawn("H", size20, .point(20), scale: 2),
        ] {
            let other = try #require(ink(pixels))
            #expect(other.rows == whole.rows && other.columns == whole.columns)
        }
    }

    @Test func `A line that is too wide or too high is smaller and complete`() throws {
        let short = try #require(ink(drawn("Hiiiiiiiiiiiiiiiiiiiii|", size20, .point(9), on: 300, 40)))
        for width in [20, 60] {
            let pixels = try drawn("Hiiiiiiiiiiiiiiiiiiiii|", size20, .point(50), on: width, 200)
            let dark = (0..<200).contains { y in
                [width / 8, width - 1 - width / 8].allSatisfy { _ in
                    (0..<width).contains { (pixels.samples(x: $0, y: y)?[1] ?? 255) < 250 }
                }
            }
            #expect(dark)
        }
        let wide = try #require(ink(drawn("Hiiiiiiiiiiiiiiiiiiiii|", size20, .point(50), on: 120, 200)))
        let ratio = Double(short.columns.count) / Double(short.rows.count)
        #expect(abs(Double(wide.columns.count) / Double(wide.rows.count) / ratio - 1) < 0.25)
        #expect(wide.columns.lowerBound > 0 && wide.columns.upperBound < 119 && wide.columns.count > 90)
        let flat = try #require(ink(drawn("Hg", size20, .point(50), on: 300, 14)))
        #expect(flat.rows.lowerBound >= 0 && flat.rows.count <= 13 && flat.rows.upperBound < 14)
    }

    @Test(arguments: [
        "</text><rect width='9999' height='9999' x='-5000' fill='#000'/><text>", "<svg/>", "\"'><!-- ", "]]>",
        "<![CDATA[a", "<?xml?>", "<image href='data:,'/>", "</text></svg><svg>",
    ])
    func `Markup is drawn as text`(_ text: String) throws {
        // A rectangle would cover the corners, and unbalanced markup would be an error.
        let pixels = try drawn(text, size20, .point(9), on: 600, 40)
        let found = try #require(ink(pixels))
        #expect(found.rows.count <= 14 && pixels.samples(x: 0, y: 0) == [255, 255, 255, 255])
    }

    @Test(arguments: [("&#65;&#65;", "A"), ("&lt;&lt;&lt;", "<"), ("&amp;amp;", "&"), ("&quot;", "\"")])
    func `Entities are not resolved`(_ text: String, _ one: String) throws {
        let many = try #require(ink(drawn(text))), single = try #require(ink(drawn(one)))
        #expect(many.columns.count > 3 * single.columns.count)
        #expect(throws: Never.self) { try drawn("&xxe;&#xFFFF;&#0;%25;") }
    }

    @Test func `Text from right to left begins at the right`() throws {
        // The full stop belongs to the end of the line: at the left in Hebrew, at the right in Latin.
        func dot(_ text: String) throws -> Bool {
            let pixels = try drawn(text, size20, .point(30))
            let found = try #require(ink(pixels))
            let baseline = found.rows.upperBound - 1
            let dark = found.columns.filter { pixels.samples(x: $0, y: baseline - 12)?[1] ?? 255 < 128 }
            return (dark.first ?? 0) - found.columns.lowerBound > 4
        }
        #expect(try dot("הה.") && !dot("HH."))
    }

    @Test(arguments: [6.0, 9, 13, 20, 60])
    func `A line with a character that no font has is drawn`(_ size: Double) throws {
        for text in ["\u{6F22}\u{5B57}.png", "\u{10FFFD}a", "\u{1F600}.png", "\u{E000}"] {
            let pixels = try drawn(text, size20, .point(size), .black, on: 400, 100)
            let white = try drawn("\u{200B}", on: 400, 100)
            #expect(pixels.packedBytes != white.packedBytes, "\(text)")
        }
    }

    @Test func `Nothing visible leaves the image as it is`() throws {
        #expect(try ink(drawn("\u{200B}\u{200D}")) == nil)
        #expect(try ink(drawn("H", size20, .point(20), .clear)) == nil)
    }

    @Test func `The same text gives the same bytes, in a chain of steps also`() throws {
        let file = try Fixtures.data(named: "Photos/coffee.jpg")
        let steps = try ["fit:200x200", "text:S2luZ2Zpc2hlcg,bottomLeft,10%h,#ff0"].map {
            try ProcessingStep($0)
        }
        let made = (0..<2).map { _ in
            Self.context.run {
                steps.processor?.process(item: .data(file), options: KingfisherParsedOptionsInfo(nil))
            }
        }
        let (one, other) = (try #require(made[0]?.pixels), try #require(made[1]?.pixels))
        #expect(one.packedBytes == other.packedBytes && one.size == PixelSize(width: 200, height: 133))
        let plain = try [#require(steps.first)].processor?.process(
            item: .data(file), options: KingfisherParsedOptionsInfo(nil))
        #expect(plain?.pixels?.packedBytes != one.packedBytes)
    }

    @Test(arguments: [String(repeating: "W", count: 256), String(repeating: "\u{FDFD}", count: 85)])
    func `The longest lines are drawn within the image`(_ text: String) throws {
        let pixels = try drawn(text, size20, .point(30), on: 400, 30)
        #expect(pixels.size == PixelSize(width: 400, height: 30))
    }
}
