import Foundation
import KingfisherCodecSupport
import KingfisherSVG
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("SVG: malformed and hostile files")
struct InvalidFileTests {
    private let codec = Samples.codec

    @Test("Every truncated document is an error")
    func truncated() {
        let file = Samples.drawing
        for length in stride(from: 0, to: file.count - 6, by: 7) {
            #expect(throws: ImageCodecError.self) {
                try codec.decode(file.prefix(length), minimumSize: nil)
            }
        }
    }

    @Test("A malformed document is corrupt, with librsvg's reason")
    func malformed() {
        do throws(ImageCodecError) {
            _ = try codec.decode(Samples.file("<rect></circle>"), minimumSize: nil)
            Issue.record("decoded")
        } catch {
            guard case .corrupt(let reason) = error, reason.contains("XML") else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("Mutated documents give an image or an error", arguments: 0..<4)
    func mutations(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            var file = Samples.drawing
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                file[Int.random(in: 0..<file.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            // A mutated size may be large.
            _ = try? codec.decode(file, shrunkTo: PixelSize(width: 40, height: 25))
        }
    }

    @Test("A document with more pixels than allowed is refused before memory is taken")
    func tooLarge() {
        let wide = Samples.file(attributes: #"width="40000" height="40000""#)
        #expect(throws: ImageCodecError.tooLarge(width: 40_000, height: 40_000)) {
            try codec.decode(wide, minimumSize: nil)
        }
        let long = PixelSize(width: 32_768, height: 1)
        #expect(throws: ImageCodecError.tooLarge(width: 32_768, height: 1)) {
            try codec.decode(Samples.file(), shrunkTo: long)
        }
        let context = DecodingContext(limits: ImageLimits(maximumPixels: 100))
        context.run {
            #expect(throws: ImageCodecError.tooLarge(width: 24, height: 16)) {
                try codec.decode(Samples.file(), minimumSize: nil)
            }
        }
    }

    @Test("A compressed bomb ends at the limit of bytes")
    func bomb() throws {
        let text = "<svg xmlns='http://www.w3.org/2000/svg'>" + String(repeating: " ", count: 40 << 20)
        let file = try Samples.gzip(Data(text.utf8))
        #expect(throws: ImageCodecError.tooMuchMemory) { try codec.header(of: file) }
    }

    @Test("Compressed data that end early or are damaged are errors")
    func damagedCompression() throws {
        let file = try Samples.gzip(Samples.circles(2000))
        #expect(throws: ImageCodecError.self) { try codec.decode(file.prefix(900), minimumSize: nil) }
        var damaged = file
        for index in 300..<320 { damaged[index] ^= 0x5A }
        #expect(throws: ImageCodecError.self) { try codec.decode(damaged, minimumSize: nil) }
    }

    @Test("Entities that expand a millionfold, and elements that use each other, are refused")
    func expansion() {
        let levels = (1...9).map { level in
            "<!ENTITY e\(level) '\(String(repeating: "&e\(level - 1);", count: 10))'>"
        }
        let laughs = Data(
            """
            <!DOCTYPE svg [<!ENTITY e0 "aaaaaaaaaa">\(levels.joined())]>
            <svg xmlns="http://www.w3.org/2000/svg" width="24" height="16"><text y="9">&e9;</text></svg>
            """.utf8)
        #expect(throws: ImageCodecError.self) { try codec.decode(laughs, minimumSize: nil) }
        let uses = (1...12).map { level in
            "<g id='u\(level)'>"
                + String(repeating: "<use href='#u\(level - 1)'/>", count: 10) + "</g>"
        }
        let nested = Samples.file("<rect id='u0' width='1' height='1'/>" + uses.joined())
        #expect(throws: ImageCodecError.self) { try codec.decode(nested, minimumSize: nil) }
    }
}
