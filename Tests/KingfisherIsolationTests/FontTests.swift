import Foundation
import KingfisherFormats
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// Decoders that may open fonts: SVG with text, and what a hostile one can do.
@Suite("Isolation: fonts", .serialized, .enabled(if: Sandbox.codecs.contains { $0.access == .fonts }))
struct FontTests {
    private let pool = DecoderPool.of(Programs.decoder)

    private static func document(_ content: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
            width="200" height="120">\(content)</svg>
        """
    }

    private static func text(_ family: String, _ attributes: String = "", _ text: String = "Quartz") -> String
    {
        "<text y='40' font-family='\(family)' style='font-size: 30px; \(attributes)'>\(text)</text>"
    }

    /// Names that no system has, each of which Pango looks for.
    private static let manyFonts = (0..<60).map { text("Font \($0)", "font-size: \(8 + $0)px") }.joined()

    private static let documents: [String: String] = [
        "usual fonts": ["serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui"]
            .map { text($0) }.joined(),
        "styles": text("serif", "font-weight: 900; font-style: italic; font-stretch: condensed")
            + text("sans-serif", "font-weight: 100; font-size: 7px; letter-spacing: 3px"),
        "a font by its name": text("DejaVu Sans Mono", "font-weight: bold"),
        "a font that is missing": text("No Such Font"),
        "many fonts": manyFonts,
        "scripts": text("sans-serif", "", "漢字 日本 한국 عربى עברית ไทย 😀 Ωж"),
        "filters": """
        <filter id="f"><feTurbulence baseFrequency="0.05"/><feGaussianBlur stdDeviation="3"/></filter>
        <rect width="200" height="120" filter="url(#f)"/>
        """,
        // GLib and Pango print warnings.
        "a negative size": "<text y='40' font-size='-5'>a</text>",
        "a huge size": "<text y='40' font-size='1e6'>a</text>",
        "a huge scale": "<g transform='scale(1e7)'><text y='40'>a</text></g>",
        "languages": """
        <switch><rect width="50" height="50" systemLanguage="de"/><circle r="50" systemLanguage="en"/>
        <rect width="90" height="9"/></switch>
        """,
        "other files": "<image width='50' height='50' xlink:href='/usr/share/pixmaps/debian-logo.png'/>"
            + "<image width='50' height='50' xlink:href='http://127.0.0.1:9/a.png'/>" + text("serif"),
    ]

    private func bytes(
        of data: Data, _ size: PixelSize, _ codec: any ImageCodec
    ) -> Result<[UInt8], ImageCodecError> {
        Result { () throws(ImageCodecError) in
            try codec.decode(data, shrunkTo: size).withUnsafeBytes { [UInt8]($0) }
        }
    }

    private func codec() throws -> any ImageCodec {
        try #require(FormatCatalog.codecs.first { $0.access == .fonts })
    }

    @Test(
        "Text, filters and references give what they give in the program", arguments: documents.keys.sorted())
    func rendering(name: String) throws {
        let data = Data(Self.document(try #require(Self.documents[name])).utf8)
        let here = try codec()
        let there = IsolatedCodec(here, access: .fonts, pool: pool)
        for size in [PixelSize(width: 200, height: 120), PixelSize(width: 617, height: 370)] {
            #expect(bytes(of: data, size, here) == bytes(of: data, size, there))
        }
        #expect(try there.header(of: data) == here.header(of: data))
        #expect(pool.processIdentifiers.count == 1)
    }

    @Test("A document above the limit of pixels by its own size is rendered to a small target, or in UTF-16")
    func hugeDocument() throws {
        let text =
            "<svg xmlns='http://www.w3.org/2000/svg' width='20000' height='10000'><circle r='9000'/></svg>"
        let wide = [0xFEFF] + text.utf16
        let here = try codec()
        let there = IsolatedCodec(here, access: .fonts, pool: pool)
        let size = PixelSize(width: 100, height: 50)
        for data in [Data(text.utf8), wide.withUnsafeBytes { Data($0) }] {
            #expect(try there.header(of: data).size == PixelSize(width: 20_000, height: 10_000))
            #expect(try there.header(of: data) == here.header(of: data))
            #expect((try? bytes(of: data, size, there).get()) != nil)
            #expect(bytes(of: data, size, here) == bytes(of: data, size, there))
        }
    }

    @Test("A document with an enormous font does not change the next one, in the program and in a decoder")
    func enormousFont() throws {
        let here = try codec()
        let there = IsolatedCodec(here, access: .fonts, pool: pool)
        let size = PixelSize(width: 200, height: 120)
        let usual = Data(Self.document(Self.text("DejaVu Sans Mono")).utf8)
        let enormous = Data(
            Self.document("<text y='40' font-family='DejaVu Sans Mono' font-size='1e6'>a</text>").utf8)
        for codec: any ImageCodec in [here, there] {
            let before = bytes(of: usual, size, codec)
            #expect((try? before.get()) != nil)
            _ = bytes(of: enormous, size, codec)
            #expect(bytes(of: usual, size, codec) == before)
        }
        #expect(pool.processIdentifiers.count == 1)
    }

    @Test("A document that is malformed, and one in Latin 1", arguments: ["a</g>", "\u{C4}\u{E9}"])
    func encodings(text: String) throws {
        let here = try codec()
        let there = IsolatedCodec(here, access: .fonts, pool: pool)
        let document =
            "<?xml version='1.0' encoding='ISO-8859-1'?>" + Self.document(Self.text("serif", "", text))
        let data = try #require(document.data(using: .isoLatin1))
        let size = PixelSize(width: 200, height: 120)
        #expect(bytes(of: data, size, here) == bytes(of: data, size, there))
    }

    @Test(
        "An embedded image whose decoder is a file is left out, others are drawn as in the program",
        arguments: [
            // From librsvg 2.60 on an embedded image may be drawn, without a decoder that is a file.
            "data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP8AACwAAAAAAQABAAACAkQBADs=",
            "data:image/svg+xml;utf8,&lt;svg xmlns='http://www.w3.org/2000/svg'&gt;&lt;rect/&gt;&lt;/svg&gt;",
        ])
    func embeddedImage(reference: String) throws {
        let here = try codec()
        let there = IsolatedCodec(here, access: .fonts, pool: pool)
        let image = #"<image width="200" height="120" xlink:href="\#(reference)"/>"#
        let document = Data(Self.document(image).utf8)
        let empty = try there.decode(Data(Self.document("").utf8), minimumSize: nil)
        let drawn = try there.decode(document, minimumSize: nil)
        let expected = try here.decode(document, minimumSize: nil)
        let mayDraw = !here.version.contains("librsvg 2.5")
        #expect(same(drawn, empty) || mayDraw && same(drawn, expected))
        #expect(pool.processIdentifiers.count == 1)
    }

    @Test("Only fonts are open, and all threads are confined", .enabled(if: !ProcessStatus.isSanitized))
    func lockDown() throws {
        let report = try pool.report(.fonts)
        #expect(report.lockDown.isSuperset(of: [.systemCalls, .resourceLimits, .noNewPrivileges, .files]))
        #expect(report.formats == ["SVG"])
        let process = try #require(pool.processIdentifiers.first)
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        // Those of Pango may end meanwhile.
        let statuses = threads.compactMap { thread in
            try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)
        }
        #expect(!statuses.isEmpty)
        for line in ["Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"] {
            #expect(statuses.allSatisfy { $0.contains(line + "\n") }, "\(line)")
        }
        // The other formats have a process without these rights.
        #expect(try !pool.report().formats.contains("SVG"))
        #expect(pool.processIdentifiers.count == 2)
    }

    @Test("Without Landlock a decoder with fonts is refused, unless the program accepts it")
    func requirement() throws {
        #expect(DecoderSettings().requiredLockDownWithFonts.contains(.files))
        let strict = DecoderPool.of(Programs.decoder) {
            $0.requiredLockDownWithFonts.insert(LockDown(rawValue: 1 << 31))
        }
        let error = failure { () throws(ImageCodecError) in _ = try strict.report(.fonts) }
        guard case .decoderFailed(.notLockedDown) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try strict.report().formats.contains("JPEG"))
    }
}

/// Code that has taken over a decoder with fonts.
@Suite(
    "Isolation: hostile decoders with fonts",
    .enabled(if: Sandbox.hasLandlock && !ProcessStatus.isSanitized))
struct HostileFontTests {
    private let pool = DecoderPool.of(Programs.hostile) { $0.cpuTimeLimit = .milliseconds(400) }

    private func decode(_ action: String) -> ImageCodecError? {
        let codec = IsolatedCodec(HostileFormat(), access: .fonts, pool: pool)
        return failure { () throws(ImageCodecError) in
            _ = try codec.decode(Data("hostile: \(action)".utf8), minimumSize: nil)
        }
    }

    @Test(
        "A system call that is not allowed ends the decoder",
        arguments: [
            "connect", "fork", "exec", "ptrace", "kill", "code", "limit", "shrink", "write",
        ])
    func calls(_ action: String) {
        #expect(decode(action) == .decoderFailed(.forbiddenCall))
        #expect(decode("nothing") == nil)
    }

    @Test("Fonts can be read and other files cannot, on any thread")
    func files() throws {
        let fonts = FileManager.default.enumerator(atPath: "/usr/share/fonts")
        let name = try #require(
            fonts?.lazy.compactMap { $0 as? String }.first { $0.hasSuffix(".ttf") || $0.hasSuffix(".otf") })
        for prefix in ["open", "thread open"] {
            let font = "\(prefix) /usr/share/fonts/\(name)"
            #expect(decode(font) == .corrupt("it was allowed: \(font)"))
            for path in [
                "/etc/passwd", "/no such file", "/proc/self/maps", "/usr/lib/os-release", Programs.hostile,
                "/",
            ] {
                #expect(decode("\(prefix) \(path)") == nil, "\(path)")
            }
        }
    }

    @Test("Files cannot be created and folders cannot be listed", arguments: ["create", "list", "sort"])
    func denials(_ action: String) {
        #expect(decode(action) == nil)
    }

    @Test("Threads are limited where the process has a user namespace of its own")
    func threads() throws {
        #expect(decode("thread") == .corrupt("it was allowed: thread"))
        let process = try #require(pool.processIdentifiers.first)
        let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        guard limits.contains(#/Max processes +256 /#) else { return }
        #expect(decode("threads") == nil)
    }
}
