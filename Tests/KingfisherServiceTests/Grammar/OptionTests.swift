import KingfisherImage
import Testing

@testable import KingfisherService

/// Arguments of options.
struct OptionTests {
    typealias Options = ServiceOptions

    struct Case: Sendable, CustomTestStringConvertible {
        let segment: String
        let options: Options
        /// The canonical segment, if it is another one.
        let canonical: String
        var testDescription: String { segment }

        init(_ segment: String, canonical: String? = nil, _ change: (inout Options) -> Void) {
            self.segment = segment
            options = NativeFixture.options(change)
            self.canonical = canonical ?? segment
        }
    }

    static let webp = ImageFormat(name: "WEBP")

    static let encoding = [
        Case("quality:1") { $0.quality = 1 },
        Case("quality:100") { $0.quality = 100 },
        Case("quality:80,webp=70") { ($0.quality, $0.formatQualities) = (80, [webp: 70]) },
        Case("quality:webp=70") { $0.formatQualities = [webp: 70] },
        Case("quality:webp=70,jpeg=60", canonical: "quality:jpeg=60,webp=70") {
            $0.formatQualities = [webp: 70, .JPEG: 60]
        },
        Case("lossless") { $0.isLossless = true },
        Case("effort:0") { $0.effort = 0 },
        Case("effort:10") { $0.effort = 10 },
        Case("colors:2") { $0.maximumColors = 2 },
        Case("colors:256") { $0.maximumColors = 256 },
        Case("progressive") { $0.isProgressive = true },
        Case("chroma:444") { $0.chroma = .full },
        Case("chroma:422") { $0.chroma = .half },
        Case("chroma:420") { $0.chroma = .quarter },
        Case("maximumBytes:1") { $0.maximumBytes = 1 },
        Case("maximumBytes:9223372036854775807") { $0.maximumBytes = .max },
        Case("format:original") { $0.format = .original },
        Case("format:auto", canonical: "") { _ in },
    ]

    static let others = [
        Case("fallback:grey") { $0.fallback = "grey" },
        Case("tag:a") { $0.tags = ["a"] },
        Case("tag:h,g,f,e,d,c,b,A._-9") { $0.tags = ["h", "g", "f", "e", "d", "c", "b", "A._-9"] },
        Case("version:1") { $0.version = "1" },
        Case("version:a:b,c", canonical: "version:a:b,c") { $0.version = "a:b,c" },
        Case("version:a%2Fb%40%3F%23%25") { $0.version = "a/b@?#%" },
        Case("version:%E4%B8%AD") { $0.version = "中" },
        Case("version:a+b") { $0.version = "a+b" },
        Case("expires:1800000000") { $0.expires = 1_800_000_000 },
        Case("expires:253402300799") { $0.expires = 253_402_300_799 },
        Case("frames:first") { $0.frames = .first },
        Case("frames:all") { $0.frames = .all },
        Case("metadata:none", canonical: "") { _ in },
        Case("metadata:copyright") { $0.metadata = .copyright },
        Case("metadata:keep") { $0.metadata = .keep },
        Case("filename:p%20q.jpg") { $0.filename = "p q.jpg" },
        Case("filename:%E4%B8%AD%22;.jpg") { $0.filename = "中\";.jpg" },
        Case("attachment") { $0.isAttachment = true },
        Case("hints") { $0.usesHints = true },
    ]

    @Test(arguments: encoding + others)
    func `An option has its meaning and its canonical form`(_ option: Case) throws {
        let fixture = NativeFixture()
        let request = try fixture.read("/S/\(option.segment)/plain/H/a.jpg")
        #expect(request.options == option.options)
        #expect(request.steps.isEmpty)
        let head = option.canonical.isEmpty ? "" : "/" + option.canonical
        let urls = try ServiceURLs(fixture.settings)
        #expect(urls.path(for: request) == head + "/plain/https://e.com/a.jpg")
    }

    static let invalidNumbers = [
        "quality", "quality:", "quality:0", "quality:101", "quality:080", "quality:+80", "quality:-1",
        "quality:80.0", "quality:8e1", "quality:%D9%A8", "quality:80,", "quality:80,90", "quality:webp=70,80",
        "quality:80,webp", "quality:80,webp=", "quality:80,webp=0", "quality:80,tiff=70",
        "quality:80,webp=70,webp=60", "quality: 80", "lossless:", "lossless:1", "effort:-1", "effort:11",
        "effort", "colors:1", "colors:257", "progressive:1", "chroma:411", "chroma:", "maximumBytes:0",
        "maximumBytes:9223372036854775808", "maximumBytes:99999999999999999999999", "expires:",
        "expires:253402300800", "expires:1e9",
    ]
    static let invalidTexts = [
        "format:", "format:jpg", "format:WEBP", "format:tiff", "format", "preset:", "preset", "preset:card,",
        "preset:none", "preset:a%2Fb", "preset:card:small", "fallback:", "fallback:none",
        "fallback:grey,grey",
        "tag:", "tag:,", "tag:a,", "tag:a,b,c,d,e,f,g,h,i", "tag:a%20b", "tag:a%0D%0Ab", "tag:%E4%B8%AD",
        "tag:" + String(repeating: "a", count: 65), "tag:%E2%84%AA", "version:", "version", "frames:none",
        "frames:", "metadata:all", "metadata", "filename:", "filename:a%2Fb", "filename:a%5Cb",
        "filename:a%0Ab", "filename:" + String(repeating: "a", count: 256), "attachment:1", "hints:1",
        "Quality:80", "quality%00:80", "blurhash", "thumbhash", "info", "unknown", "unknown:1",
    ]

    @Test(arguments: invalidNumbers + invalidTexts)
    func `An invalid option is 400`(_ segment: String) throws {
        #expect(try NativeFixture().failure("/S/\(segment)/plain/H/a.jpg")?.status == 400)
    }

    @Test(arguments: [
        ("blurhash", true, false), ("thumbhash", false, true), ("thumbhash/blurhash", true, true),
    ])
    func `Hashes are for information`(_ segments: String, blurHash: Bool, thumbHash: Bool) throws {
        let options = try NativeFixture().read("/info/S/\(segments)/plain/H/a.jpg").options
        #expect(options.hasBlurHash == blurHash)
        #expect(options.hasThumbHash == thumbHash)
        #expect(try NativeFixture().failure("/S/\(segments)/plain/H/a.jpg")?.status == 400)
        #expect(try NativeFixture().failure("/info/S/bw/\(segments)/plain/H/a.jpg")?.status == 400)
    }

    @Test func `An error names the option and what is expected`() throws {
        let failure = try NativeFixture().failure("/S/effort:11/plain/H/a.jpg")
        #expect(failure?.message == "Invalid argument of 'effort'; expected effort:0…10.")
        let unknown = try NativeFixture().failure("/S/sm%C3%A4rt:1/plain/H/a.jpg")
        #expect(unknown?.message == "Unknown step or option 'sm?rt'.")
        let long = try NativeFixture().failure("/S/\(String(repeating: "x", count: 5_000))/plain/H/a.jpg")
        #expect(long?.message == "Unknown step or option '\(String(repeating: "x", count: 64))...'.")
    }
}
