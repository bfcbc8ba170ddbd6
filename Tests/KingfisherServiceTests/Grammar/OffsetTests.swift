import Testing

@testable import KingfisherService

/// Where an error says that a path is wrong.
struct OffsetTests {
    /// `^` is before the byte of the offset.
    static let paths = [
        "/S/bw/^unknown:1/plain/H/a.jpg", "/S/^quality:0/plain/H/a.jpg", "/S/bw/trim^%2/plain/H/a.jpg",
        "/S/bw/^/plain/H/a.jpg", "/S/quality:1/^quality:2/plain/H/a.jpg", "/S/bw^", "/S/bw/plain/^",
        "/S/plain/H/a^%.jpg", "/S/plain/H/a.jpg@^jpg", "/S/plain/H/a@b@^c", "/S/plain/^ftp://e.com/a.jpg",
        "/S/plain/H/a.jpg^?w=1", "/S/format:avif/plain/H/a.jpg@^webp", "/S/b64/^a", "/S/b64/aa.^x",
        "/S/upload^", "/info/S/^nothing/plain/H/a.jpg", "/S/^watermark:none/plain/H/a.jpg",
        "/S/plain/H/%E4%B8%AD/a^%zz.jpg",
    ]

    @Test(arguments: paths, ["", "/k", "/k/images"])
    func `The offset counts bytes of the path as received`(_ marked: String, prefix: String) throws {
        var fixture = NativeFixture()
        fixture.settings.nativePrefix = prefix.isEmpty ? "/" : prefix
        let path = fixture.signed(marked.replacing("^", with: ""))
        let signatureLength = 43 - 1
        let expanded = marked.replacing("/H/", with: "/https://e.com/")
        let mark = try #require(expanded.firstIndex(of: "^"))
        let offset = expanded.utf8.distance(from: expanded.startIndex, to: mark)
        let failure = try fixture.failure(prefix + path)
        #expect(failure?.status == 400)
        #expect(failure?.offset == prefix.utf8.count + offset + signatureLength)
    }

    @Test(arguments: [
        ("/blur%3A9/^quality%3A0/plain/https:/e.com/a.jpg", "/blur:9/quality:0/plain/https://e.com/a.jpg"),
        ("/blur%3a9/plain/https:/e.com/a^%.jpg", "/blur:9/plain/https://e.com/a%.jpg"),
        ("/blur%3A9/plain/local:/a^%.jpg", "/blur:9/plain/local:///a%.jpg"),
        ("/blur%3A9/plain/https:/e.com/a.jpg@^", "/blur:9/plain/https://e.com/a.jpg@"),
    ])
    func `The offset of a repaired path is in the path as received`(
        _ marked: String, signed: String
    ) throws {
        let fixture = NativeFixture()
        let signature = try #require(NativeSigner(fixture.settings.signing).signature(of: signed))
        let mark = try #require(marked.firstIndex(of: "^"))
        let failure = try fixture.failure("/" + signature + marked.replacing("^", with: ""))
        #expect(failure?.status == 400)
        #expect(failure?.offset == 44 + marked.utf8.distance(from: marked.startIndex, to: mark))
    }

    @Test func `A refused source has no offset, and the text of an invalid signature`() throws {
        var fixture = NativeFixture()
        fixture.settings.sources.allowed = ["https://example.com/"]
        let refused = try fixture.failure("/S/plain/H/a.jpg")
        #expect(refused == .sourceNotAllowed)
        let unsigned = try fixture.failure("/x/plain/H/a.jpg")
        #expect(unsigned == .invalidSignature)
        #expect(refused?.message == unsigned?.message && refused?.offset == nil)
    }
}
