import Testing

@testable import KingfisherService

/// Signatures of the service's own URLs.
struct NativeSigningTests {
    /// Computed with Python's hmac; the key is 00 to 1f.
    static let vectors = [
        (
            "/downsample:300x300/plain/https://example.com/photo.jpg",
            "49PQZA60PrdnzovzjLQtT6N4-_2EQzxBabq_wogT9Gc"
        ),
        (
            "/cover:400x300,top/quality:80/plain/https://example.com/photo.jpg@webp",
            "el0WWNHUDZVRaVPzt08OK80JXvDf9cB-u6WTGHmSyiw"
        ),
        ("/b64/aHR0cHM6Ly9leGFtcGxlLmNvbS9waG90by5qcGc.avif", "x5UVnhda7UPnqvIkB94F0df-CmW_QaX1DD1umrpMPwI"),
        ("/info/plain/https://example.com/photo.jpg", "LmbCz63JI5R7Hcdiq9M7F4elZcBJFaxV_OUkzS4oCzY"),
        ("/downsample:300x300/expires:1893456000/upload@webp", "2ZNm81vKtn5n7RupouIFIxYiybEwwi-PnWrayK0I_Jc"),
        (
            "/pad:600x600,%23fff/plain/https://example.com/a%2520b.jpg",
            "IQOL0NBbS77OCvkt_dk0YF9cxOhCKpcVAvxgxAfJWHQ"
        ),
    ]

    static func signedPath(_ path: String, _ signature: String) -> String {
        path.hasPrefix("/info/") ? "/info/\(signature)\(path.dropFirst(5))" : "/\(signature)\(path)"
    }

    @Test(arguments: vectors)
    func `A path has the signature of the vector, and is read with it`(_ path: String, signature: String)
        throws
    {
        let urls = try ServiceURLs(NativeFixture().settings)
        let signed = Self.signedPath(path, signature)
        #expect(try urls.sign(path: path) == signed)
        let request = try urls.request(path: signed, now: 0)
        #expect(
            urls.path(for: request)
                == (path.hasPrefix("/b64") ? "/plain/https://example.com/photo.jpg@avif" : path))
    }

    @Test(arguments: ["plain/https://e.com/a.jpg", "plain/https://e.com/a.jpg@webp"])
    func `A signature of an image does not open information, nor the reverse`(_ rest: String) throws {
        let fixture = NativeFixture()
        let image = fixture.signed("/S/" + rest)
        let information = fixture.signed("/info/S/" + rest)
        #expect(try fixture.failure("/info" + image)?.status == 403)
        #expect(try fixture.failure(String(information.dropFirst(5)))?.status == 403)
        let signature = information.dropFirst(6).prefix(43)
        #expect(try fixture.failure("/\(signature)/info/\(rest)")?.status == 400)
    }

    @Test func `Every key verifies, and the first one signs`() throws {
        let keys = (0..<4).compactMap { SigningKey([UInt8](repeating: $0, count: 32)) }
        let path = "/plain/https://e.com/a.jpg"
        for count in 1...4 {
            let urls = try ServiceURLs(ServiceSettings(signing: .keys(Array(keys.prefix(count)))))
            let first = try ServiceURLs(ServiceSettings(signing: .keys([keys[0]])))
            #expect(try urls.sign(path: path) == first.sign(path: path))
            for (index, key) in keys.enumerated() {
                let signed = try ServiceURLs(ServiceSettings(signing: .keys([key]))).sign(path: path)
                let request = try? urls.request(path: signed, now: 0)
                #expect((request != nil) == (index < count))
            }
        }
    }

    @Test(arguments: [
        "", "s", "unsafe", "é", String(repeating: "A", count: 42), String(repeating: "A", count: 43),
        String(repeating: "A", count: 44), String(repeating: "=", count: 43),
        String(repeating: "é", count: 43),
    ])
    func `A text that is no signature is 403`(_ signature: String) throws {
        let path = "/\(signature)/plain/https://e.com/a.jpg"
        // Two slashes at the start are another error.
        let status = signature.isEmpty ? 400 : 403
        #expect(try NativeFixture().failure(path)?.status == status)
        #expect(try NativeFixture().failure("/info" + path)?.status == 403)
    }

    @Test(arguments: ["/", "/info", "/info/", "/plain/https://e.com/a.jpg", "/bw/plain/https://e.com/a.jpg"])
    func `A missing signature is 403`(_ path: String) throws {
        #expect(try NativeFixture().failure(path)?.status == 403)
    }

    @Test func `A signature without a path is 403`() throws {
        let fixture = NativeFixture()
        let signature = NativeSigner(fixture.settings.signing).signature(of: "") ?? ""
        #expect(try fixture.failure("/" + signature)?.status == 403)
        #expect(try fixture.failure("/info/" + signature)?.status == 403)
    }

    @Test func `A signature of the decoded path is 403`() throws {
        let fixture = NativeFixture()
        let signature =
            NativeSigner(fixture.settings.signing).signature(of: "/plain/https://e.com/a b.jpg") ?? ""
        #expect(try fixture.failure("/\(signature)/plain/https://e.com/a%20b.jpg")?.status == 403)
    }
}
