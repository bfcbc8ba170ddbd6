import Foundation
import KingfisherCodecSupport
import KingfisherSVG
import TestHelpers
import Testing

@Suite("SVG: the library")
struct LibraryTests {
    @Test("A program with the codec starts without librsvg, which the first render loads")
    func firstUse() throws {
        #expect(try !LazyCodecs.linkedLibraries().contains("librsvg"))
        let lines = try LazyCodecs.decode(Samples.file(), with: "rsvg-2")
        #expect(lines == ["detected SVG, mapped false", "decoded 24x16, mapped true"])
    }

    @Test("Without librsvg files are still detected, and the error names the package")
    func missing() throws {
        let lines = try LazyCodecs.decode(Samples.file(), with: "rsvg-2", hiding: "librsvg-2.so.2")
        #expect(lines.first == "detected SVG, mapped false")
        #expect(
            lines.last?.hasPrefix("failed: SVG without librsvg-2.so.2 of Debian's package librsvg2-2 (")
                == true)
    }

    @Test("The folders and files of fonts are those of fontconfig")
    func fonts() {
        let paths = SVGCodec().fontPaths
        #expect(paths.contains("/usr/share/fonts"))
        #expect(paths.contains { $0.hasSuffix("/DejaVuSans.ttf") })
    }
}
