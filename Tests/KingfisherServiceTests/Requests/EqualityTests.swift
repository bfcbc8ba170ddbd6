import Testing

@testable import KingfisherService

/// "é" has two spellings that `String.==` takes as equal. They are two versions, files and objects.
struct EqualityTests {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    @Test func `The two spellings are equal as strings`() { #expect(Self.composed == Self.decomposed) }

    @Test(arguments: ["version", "filename", "fallback", "tags"])
    func `Options with texts of other bytes are unequal`(_ name: String) {
        let options = [Self.composed, Self.decomposed].map { text in
            Fixture.options {
                switch name {
                case "version": $0.version = text
                case "filename": $0.filename = text
                case "fallback": $0.fallback = text
                default: $0.tags = ["a", text]
                }
            }
        }
        #expect(options[0] != options[1])
        #expect(Set(options + options).count == 2)
        #expect(
            options.map { Array($0.texts.utf8) } == [Self.composed, Self.decomposed].map { Array($0.utf8) })
    }

    @Test func `Steps with texts of other bytes are unequal`() throws {
        let steps = try [Self.composed, Self.decomposed].map { try ServiceRequest.Step("watermark:\($0)") }
        #expect(steps[0] != steps[1])
        #expect(Set(steps + steps).count == 2)
    }

    @Test func `Sources with keys, versions and paths of other bytes are unequal`() {
        let sources = [Self.composed, Self.decomposed].flatMap { text in
            [
                ServiceSource.s3(bucket: "photos", key: text, versionID: nil),
                .s3(bucket: "photos", key: "a", versionID: text), .local(path: text),
            ]
        }
        #expect(Set(sources + sources).count == 6)
        #expect(Set(sources.map { ServiceRequest(source: $0) }).count == 6)
    }

    @Test func `Requests of other bytes have other paths`() throws {
        let fixture = NativeFixture()
        let requests = try ["version:%C3%A9", "version:e%CC%81"].map {
            try fixture.read("/S/\($0)/plain/H/a")
        }
        #expect(requests[0] != requests[1])
        let urls = try ServiceURLs(fixture.settings)
        #expect(
            requests.map { urls.path(for: $0) } == [
                "/version:%C3%A9/plain/https://e.com/a", "/version:e%CC%81/plain/https://e.com/a",
            ])
    }
}

extension ServiceOptions {
    fileprivate var texts: String {
        version ?? filename ?? fallback ?? tags.last ?? ""
    }
}
