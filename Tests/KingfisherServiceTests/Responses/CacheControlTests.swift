import Testing

@testable import KingfisherService

struct CacheControlTests {
    private let now = 1_700_000_000

    private func value(
        _ result: ServiceResult = ServiceResult(), source: ServiceSource = .sample,
        _ options: (inout ServiceOptions) -> Void = { _ in },
        settings: (inout ServiceResponseSettings) -> Void = { _ in }
    ) -> String? {
        let context = ServiceResponseContext.sample(.sample(source: source, options))
        return ServiceResponseRules.sample(settings).response(.sample(), result, context)
            .value(of: "Cache-Control")
    }

    private static let usual = "public, max-age=86400, stale-while-revalidate=86400, stale-if-error=604800"

    @Test func `Lifetimes of the settings apply`() {
        #expect(value() == Self.usual)
        let short = value(settings: {
            ($0.lifetime, $0.staleWhileRevalidate, $0.staleIfError) = (.seconds(5), 0, 7)
        })
        #expect(short == "public, max-age=5, stale-if-error=7")
        #expect(value(settings: { $0.lifetime = .seconds(-5) })?.hasPrefix("public, max-age=0, ") == true)
    }

    @Test func `A version makes a result immutable`() {
        #expect(value { $0.version = "7" } == Self.usual + ", immutable")
        #expect(value(.init(.interim)) { $0.version = "7" } == "public, max-age=30")
        #expect(value(.init(.fallback)) { $0.version = "7" } == "public, max-age=60")
    }

    @Test(
        arguments: [(Int?(100), 100), (nil, 777), (0, 0), (-5, 0), (40_000_000, 40_000_000)])
    func `The lifetime of the source applies`(_ lifetime: Int?, _ expected: Int) {
        let value = value(
            .init(sourceLifetime: lifetime),
            settings: { ($0.lifetime, $0.sourceDefaultLifetime) = (.source, 777) })
        #expect(value == "public, max-age=\(expected), stale-while-revalidate=86400, stale-if-error=604800")
    }

    @Test func `A fixed lifetime ignores the source`() {
        #expect(value(.init(sourceLifetime: 5)) == Self.usual)
    }

    @Test(
        arguments: [
            (-100, "public, max-age=0"), (0, "public, max-age=0"), (1, "public, max-age=1"),
            (86_400, "public, max-age=86400"),
            (86_410, "public, max-age=86400, stale-while-revalidate=10, stale-if-error=10"),
            (200_000, "public, max-age=86400, stale-while-revalidate=86400, stale-if-error=113600"),
            (9_000_000, Self.usual), (.max - 1_700_000_000, Self.usual),
            (.min + 1_700_000_000, "public, max-age=0"),
        ])
    func `No time is after expiry`(_ left: Int, _ expected: String) {
        let (expires, _) = now.addingReportingOverflow(left)
        #expect(value { $0.expires = expires } == expected)
    }

    @Test func `The extreme expiry of a URL does not trap`() {
        #expect(value { $0.expires = .min } == "public, max-age=0")
        #expect(value { $0.expires = .max } == Self.usual)
    }

    @Test(
        arguments: [
            (ServiceResult.Kind.interim, Int?.none, "public, max-age=30"),
            (.interim, 7, "public, max-age=7"), (.fallback, nil, "public, max-age=60"),
            (.fallback, 7, "public, max-age=7"),
        ])
    func `Interim and fallback images have a short lifetime`(
        _ kind: ServiceResult.Kind, _ left: Int?, _ expected: String
    ) {
        #expect(value(.init(kind)) { $0.expires = left.map { now + $0 } } == expected)
    }

    @Test func `An interim image lives no longer than a final one`() {
        #expect(value(.init(.interim), settings: { $0.lifetime = .seconds(9) }) == "public, max-age=9")
        #expect(value(.init(.fallback), settings: { $0.fallbackLifetime = 9 }) == "public, max-age=9")
    }

    @Test func `The result of an upload is not stored`() {
        #expect(value(source: .upload) { $0.expires = now + 100 } == "no-store")
    }

    @Test(
        arguments: [
            (400, "no-store"), (403, "no-store"), (404, "max-age=10"), (405, "no-store"), (410, "max-age=10"),
            (413, "no-store"), (414, "no-store"), (422, "max-age=10"), (429, "no-store"), (431, "no-store"),
            (500, "no-store"), (502, "no-store"), (503, "no-store"), (504, "no-store"),
        ])
    func `Of the errors only 404, 410 and 422 are stored`(_ status: Int, _ expected: String) {
        let failure = ServiceFailure(ServiceError(status, "No."))
        let rules = ServiceResponseRules.sample()
        #expect(rules.response(failure, .sample()).value(of: "Cache-Control") == expected)
        #expect(rules.response(failure, .sample(nil)).value(of: "Cache-Control") == expected)
    }

    @Test func `A stored error does not outlive its URL`() {
        let context = ServiceResponseContext.sample(.sample { $0.expires = now + 3 })
        let response = ServiceResponseRules.sample().response(ServiceFailure(.sourceMissing), context)
        #expect(response.value(of: "Cache-Control") == "max-age=3")
    }
}
