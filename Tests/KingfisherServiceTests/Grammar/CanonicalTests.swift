import Foundation
import KingfisherImage
import Testing

@testable import KingfisherService

/// Writing a request and reading it again.
struct CanonicalTests {
    static let steps = [
        "downsample:300x200", "resize:80x60,fit", "crop:20x20,0.5,0", "trim", "trim:0.05", "bw", "blur:5",
        "round:20,tl+br,#fff", "round:50%w", "pad:60x60,#ffff", "overlay:#06c,0.6", "rotate:90",
        "watermark:logo,topLeft,0.5", "border:4,#fff,20", "fit:300x0", "cover:30x20,0.3,0.6",
        "cut:1,2,3x4", "margin:1,2,3,4,#fff", "pixelate:4",
        "text:YSZiPGM-,topLeft,5%w,#fff8",
    ]
    static let texts = [
        "a", "7", "p q", "中", "a%20b", "100%", "%", "a@b", "a/b", "?x=1", "#f", "a+b", "a:b", "a,b", "\"'<>",
        "plain", "upload@webp", "..", "é", "e\u{301}", "\u{212A}", "a\u{2028}b", "😀",
    ]

    /// A request that `ServiceURLs` can read.
    static func request(_ numbers: inout RandomNumbers) throws -> ServiceRequest {
        let kind: ServiceRequest.Kind = numbers.chance(20) ? .information : .image
        let count = kind == .image ? Int.random(in: 0...6, using: &numbers) : 0
        let steps = try (0..<count).map { _ in
            try ServiceRequest.Step(Self.steps.randomElement(using: &numbers) ?? "bw")
        }
        var options = ServiceOptions()
        encoding(&options, &numbers)
        naming(&options, &numbers)
        if kind == .information {
            (options.hasBlurHash, options.hasThumbHash) = (numbers.chance(50), numbers.chance(50))
        }
        let source = try source(&numbers)
        if source == .upload { options.expires = 4_000_000_000 }
        return ServiceRequest(kind: kind, steps: steps, options: options, source: source)
    }

    private static func number(_ bounds: ClosedRange<Int>, _ numbers: inout RandomNumbers) -> Int? {
        numbers.chance(30) ? Int.random(in: bounds, using: &numbers) : nil
    }

    private static func encoding(_ options: inout ServiceOptions, _ numbers: inout RandomNumbers) {
        options.quality = number(1...100, &numbers)
        for (_, format) in OutputFormat.all where numbers.chance(10) {
            options.formatQualities[format] = Int.random(in: 1...100, using: &numbers)
        }
        options.isLossless = numbers.chance(20)
        options.effort = number(0...10, &numbers)
        options.maximumColors = number(2...256, &numbers)
        options.isProgressive = numbers.chance(20)
        options.chroma = numbers.chance(20) ? ChromaSubsampling.allCases.randomElement(using: &numbers) : nil
        options.maximumBytes = number(1...Int.max, &numbers)
        let formats: [ServiceOptions.Format] =
            [.negotiated, .original] + OutputFormat.all.map { .exactly($0.format) }
        options.format = formats.randomElement(using: &numbers) ?? .original
    }

    private static func naming(_ options: inout ServiceOptions, _ numbers: inout RandomNumbers) {
        options.fallback = numbers.chance(20) ? "grey" : nil
        options.tags = (0..<(numbers.chance(30) ? Int.random(in: 1...8, using: &numbers) : 0)).map {
            "t.\($0)_-"
        }
        options.version = numbers.chance(30) ? texts.randomElement(using: &numbers) : nil
        options.expires = number(2_000_000_000...253_402_300_799, &numbers)
        options.frames =
            numbers.chance(30) ? ServiceOptions.Frames.allCases.randomElement(using: &numbers) : nil
        options.metadata = ServiceOptions.Metadata.allCases.randomElement(using: &numbers) ?? .keep
        let filename = texts.filter { !$0.contains("/") }.randomElement(using: &numbers)
        options.filename = numbers.chance(30) ? filename : nil
        options.isAttachment = numbers.chance(20)
        options.usesHints = numbers.chance(20)
    }

    private static func source(_ numbers: inout RandomNumbers) throws -> ServiceSource {
        let count = Int.random(in: 1...4, using: &numbers)
        let parts = (0..<count).map { _ in texts.randomElement(using: &numbers) ?? "a" }
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0: return .upload
        case 1, 2:
            let version = numbers.chance(50) ? texts.randomElement(using: &numbers) : nil
            return .s3(bucket: "photos", key: parts.joined(separator: "/"), versionID: version)
        case 3, 4:
            let path = parts.flatMap { $0.split(separator: "/") }.filter { $0 != ".." } + ["a.jpg"]
            return .local(path: path.joined(separator: "/"))
        default:
            let host = ["e.com", "E.com:8443", "a-b.e.com:443", "[0:0::1]", "127.0.0.1"].randomElement(
                using: &numbers)
            let path = parts.filter { $0 != ".." }.joined(separator: "/")
            let text = "https://\(host ?? "e.com")/\(path)"
            return try NativeFixture().settings.sources.source(named: text)
        }
    }

    @Test func `2000 random requests are read from their canonical path`() throws {
        let urls = try ServiceURLs(NativeFixture().settings)
        var numbers = RandomNumbers(seed: 20_261_126)
        var paths: Set<String> = []
        for _ in 0..<2_000 {
            let request = try Self.request(&numbers)
            let path = urls.path(for: request)
            let parsed = try urls.request(path: urls.sign(path: path), now: NativeFixture.now)
            #expect(parsed == request)
            #expect(parsed.steps.map(\.text) == request.steps.map(\.text))
            #expect(parsed.source.name.map { Array($0.utf8) } == request.source.name.map { Array($0.utf8) })
            #expect(urls.path(for: parsed) == path)
            paths.insert(path)
        }
        #expect(paths.count > 1_900)
    }

    @Test(arguments: [
        ("a@b/c d", "/plain/s3://photos/a%40b/c%20d"), ("a%20b?#", "/plain/s3://photos/a%2520b%3F%23"),
        ("a/../b", "/b64/czM6Ly9waG90b3MvYS8uLi9i"), ("a/./b", "/b64/czM6Ly9waG90b3MvYS8uL2I"),
        ("a%2e%2E/b", "/plain/s3://photos/a%252e%252E/b"), ("(a)'!*", "/plain/s3://photos/(a)'!*"),
    ])
    func `A key has one canonical spelling`(_ key: String, path: String) throws {
        let urls = try ServiceURLs(NativeFixture().settings)
        let request = ServiceRequest(source: .s3(bucket: "photos", key: key, versionID: nil))
        #expect(urls.path(for: request) == path)
        #expect(try urls.request(path: urls.signedPath(for: request), now: 0) == request)
    }

    @Test(arguments: [
        "", "plain/https://e.com/a.jpg", "/plain/https://e.com/a.jpg?w=1",
        "/pad:6x6,#fff/plain/https://e.com/a",
        "/plain/https://e.com/a b", "/plain/https://e.com/中", "/plain/https://e.com/a\n",
        "/plain/https://e.com/[a]",
        "/plain/https://e.com/\"a\"", "/plain/https://e.com\\a",
    ])
    func `A path that clients change is not signed`(_ path: String) throws {
        let urls = try ServiceURLs(NativeFixture().settings)
        let error = try #require(throws: ServiceError.self) { try urls.sign(path: path) }
        #expect(error.status == 400)
        let unchanged = Array(path.utf8).prefix(error.offset ?? -1)
        #expect(unchanged.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"?#\\\"[".utf8.contains($0) })
    }

    @Test func `A path that is too long is not signed`() throws {
        let urls = try ServiceURLs(NativeFixture().settings)
        #expect(throws: Never.self) { try urls.sign(path: "/" + String(repeating: "a", count: 8_192 - 45)) }
        let error = try #require(throws: ServiceError.self) {
            try urls.sign(path: "/" + String(repeating: "a", count: 8_192 - 44))
        }
        #expect(error.status == 414)
    }
}
