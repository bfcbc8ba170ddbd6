import Testing

@testable import KingfisherService

/// Paths that proxies and chat programs change.
struct PathRepairTests {
    @Test(arguments: [
        ("/plain/https:/e.com/a.jpg", "/plain/https://e.com/a.jpg"),
        ("/plain/http:/e.com/a.jpg@webp", "/plain/http://e.com/a.jpg@webp"),
        ("/plain/s3:/photos/a.jpg", "/plain/s3://photos/a.jpg"),
        ("/plain/local:/a.jpg", "/plain/local:///a.jpg"),
        ("/fit%3A300x300/plain/https://e.com/a.jpg", "/fit:300x300/plain/https://e.com/a.jpg"),
        ("/blur%3a5/quality%3A80/plain/https:/e.com/a.jpg", "/blur:5/quality:80/plain/https://e.com/a.jpg"),
        ("/blur%3A5/b64/aHR0cHM6Ly9lLmNvbS9h", "/blur:5/b64/aHR0cHM6Ly9lLmNvbS9h"),
        ("/expires%3A1893456000/upload@webp", "/expires:1893456000/upload@webp"),
        ("/blur%3A5/plain/local:/a.jpg", "/blur:5/plain/local:///a.jpg"),
    ])
    func `A repaired path is read if its signature is valid`(_ received: String, signed: String) throws {
        let fixture = NativeFixture()
        let signature = try #require(NativeSigner(fixture.settings.signing).signature(of: signed))
        let request = try fixture.read("/" + signature + received)
        #expect(request == (try fixture.read("/" + signature + signed)))
        #expect(PathRepair(received[...]).repaired?.text == signed)
    }

    @Test func `Information is repaired in the same way`() throws {
        let fixture = NativeFixture()
        let signed = fixture.signed("/info/S/plain/https://e.com/a.jpg")
        let request = try fixture.read(signed.replacing("https://", with: "https:/"))
        #expect(request == (try fixture.read(signed)))
    }

    @Test(arguments: [
        "/plain/https://e.com/a.jpg", "/plain/https:///e.com/a.jpg", "/plain/ftp:/e.com/a.jpg",
        "/plain/https%3A/e.com/a.jpg", "/plain/a.jpg", "/plain/https:", "/plain/e.com/https:/a", "/plain",
        "/blur%3/plain/https://e.com/a", "/plain/https://e.com/a%3Ab", "/b64/https:/e.com", "/blur%3A5", "",
    ])
    func `Other paths are not repaired`(_ path: String) {
        #expect(PathRepair(path[...]).repaired == nil)
    }

    @Test func `The string that verified is parsed`() throws {
        let fixture = NativeFixture()
        // An escaped colon that was signed is part of a name, not of the grammar.
        let request = try fixture.read("/S/filename:a%3Ab/plain/https://e.com/a.jpg")
        #expect(request.options.filename == "a:b")
        // A path that was signed with one slash stays malformed.
        #expect(try fixture.failure("/S/plain/https:/e.com/a.jpg")?.status == 400)
    }

    @Test func `A path with another change is 403`() throws {
        let fixture = NativeFixture()
        let signed = fixture.signed("/S/blur:5/plain/https://e.com/a.jpg")
        for (text, other) in [
            ("blur:5", "blur%3A6"), ("e.com", "e%2Ecom"), ("/a.jpg", "//a.jpg"), ("://", ":///"),
        ] {
            #expect(try fixture.failure(signed.replacing(text, with: other))?.status == 403)
        }
    }

    @Test func `Without signing nothing is repaired`() throws {
        let fixture = NativeFixture.unsigned()
        #expect(
            try fixture.read("/unsafe/blur%3A5/plain/https://e.com/a.jpg").steps.map(\.text) == ["blur:5"])
        #expect(try fixture.failure("/unsafe/plain/https:/e.com/a.jpg")?.status == 400)
    }
}
