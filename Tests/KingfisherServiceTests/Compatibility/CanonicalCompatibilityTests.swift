import Testing

@testable import KingfisherService

/// Requests of imgproxy and thumbor as canonical paths, which the native reader reads as the same requests.
struct CanonicalCompatibilityTests {
    private static let long = String(repeating: "a", count: 256)
    private let urls: ServiceURLs

    init() throws { urls = try ServiceURLs(Self.settings()) }

    @Test(arguments: [
        "fn:a%2Fb", "fn:a%5Cb", "fn:YS9i:1", "fn:\(long)", "filename:%2F", "fn:=:1", "exp:253402300800",
        "expires:999999999999", "cb:a\u{1}", "cb:\u{85}", "cachebuster:\u{7F}",
    ])
    func `A value of imgproxy without a canonical form is 400 with its option`(_ option: String) throws {
        let error = try #require(
            Fixture.error { () throws(ServiceError) in
                try Fixture.imgproxy("\(option)/\(Fixture.source)")
            })
        #expect(error.status == 400)
        #expect(error.message.hasPrefix("\(option.prefix { $0 != ":" }) is invalid: expected "))
        #expect(error.message.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }

    @Test(arguments: [
        ("exp:253402300799", Fixture.options { $0.expires = 253_402_300_799 }),
        ("fn:\(long.dropLast())", Fixture.options { $0.filename = String(long.dropLast()) }),
        ("cb:a%2Fb", Fixture.options { $0.version = "a%2Fb" }),
        ("cb:\u{A0}", Fixture.options { $0.version = "\u{A0}" }),
    ])
    func `A value of imgproxy at the bounds is read`(_ option: String, _ expected: ServiceOptions) throws {
        let request = try Fixture.imgproxy("\(option)/\(Fixture.source)")
        #expect(request.options == expected)
        try check(request, option)
    }

    @Test func `Thumbor URLs expire in the year 9999 at the latest`() throws {
        let filters = { (milliseconds: String) in "filters:expire(\(milliseconds))/e.com/a.jpg" }
        let last = try Fixture.thumbor(filters("253402300799999"))
        #expect(last.options.expires == 253_402_300_799)
        try check(last, "expire")
        for later in ["253402300800000", "999999999999999"] {
            let error = Fixture.error { () throws(ServiceError) in try Fixture.thumbor(filters(later)) }
            #expect(error?.status == 400)
            #expect(error?.message.hasPrefix("expire is invalid: ") == true)
        }
    }

    @Test func `Steps and options together are at most 32`() throws {
        let path = { (steps: Int, options: String) in
            "filters:" + String(repeating: "blur(5):", count: steps) + options + "/e.com/a.jpg"
        }
        try check(try Fixture.thumbor(path(31, "quality(80)")), "31 and 1")
        // The format follows the source.
        try check(try Fixture.thumbor(path(32, "format(png)")), "32 and a format")
        for (steps, options) in [(32, "quality(80)"), (31, "quality(80):max_bytes(9)"), (33, "upscale()")] {
            let error = Fixture.error { () throws(ServiceError) in try Fixture.thumbor(path(steps, options)) }
            #expect(error == ServiceError(400, "More than 32 steps and options."))
        }
    }

    private static let values = [
        "", "0", "1", "2", "0.5", "80", "100", "255", "300", "8192", "1000000", "253402300799",
        "253402300800", "1893456000999", "999999999999", "999999999999999", "a", "fff", "webp", "gif",
        "e\u{301}", "%C3%A9", "a%2Fb", "%5C", "%00", "\u{1}", "\u{2028}", "..", "plain", "@", "?", "#", "no",
        "ce", "fit", "fill", "force", "300:200", "10:10:nowe:5:5", "webp:70", "YS9i:1", "YQ:1", "fp:0.3:0.6",
        "1:noea", "1:2:3:4", "a:b:c", long, String(repeating: "x", count: 64),
    ]
    private static let imgproxyNames = ImgproxyOption.all.flatMap { option in
        if case .change = option.effect { option.names } else { [] as [String] }
    }

    private static func settings() -> ServiceSettings {
        Fixture.settings {
            $0.watermarks = ["logo"]
            $0.imgproxy?.watermark = "logo"
            $0.smartCrop = .center
        }
    }

    @Test func `500 imgproxy requests are read from their canonical paths`() throws {
        var numbers = RandomNumbers(seed: 20_261_128)
        let settings = Self.settings()
        var accepted = 0
        for _ in 0..<20_000 where accepted < 500 {
            let options = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
                let name = Self.imgproxyNames.randomElement(using: &numbers) ?? "w"
                return "\(name):\(Self.values.randomElement(using: &numbers) ?? "")/"
            }
            let path = options.joined() + Fixture.source
            guard let request = try? Fixture.imgproxy(path, settings, now: 0) else { continue }
            try check(request, path)
            accepted += 1
        }
        #expect(accepted == 500)
    }

    @Test func `500 thumbor requests are read from their canonical paths`() throws {
        var numbers = RandomNumbers(seed: 20_261_129)
        let settings = Self.settings()
        let sizes = ["", "300x200/", "fit-in/300x0/", "trim:50/10x20:60x60/-300x-200/left/top/", "9000x1/"]
        var accepted = 0
        for _ in 0..<20_000 where accepted < 500 {
            let filters = (0..<Int.random(in: 1...2, using: &numbers)).map { _ in
                let name = ThumborFilter.all.randomElement(using: &numbers)?.name ?? "quality"
                let argument = Self.values.randomElement(using: &numbers) ?? ""
                return "\(name)(\(argument.replacing(":", with: ",")))"
            }
            let size = sizes.randomElement(using: &numbers) ?? ""
            let path = "\(size)filters:\(filters.joined(separator: ":"))/e.com/a.jpg"
            guard let request = try? Fixture.thumbor(path, settings, now: 0) else { continue }
            try check(request, path)
            accepted += 1
        }
        #expect(accepted == 500)
    }

    private func check(_ request: ServiceRequest, _ description: String) throws {
        let canonical = urls.path(for: request)
        var read: ServiceRequest?
        #expect(throws: Never.self, "\(description): \(canonical)") {
            read = try urls.request(path: "/unsafe" + canonical, now: 0)
        }
        read?.isNegotiable = request.isNegotiable
        #expect(read == request, "\(description): \(canonical)")
        #expect(read.map { urls.path(for: $0) } == canonical)
    }
}
