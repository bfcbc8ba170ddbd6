import Testing

@testable import KingfisherService

struct ThumborSignatureTests {
    /// libthumbor tests/test_cryptourl.py, imagor e7cd514f docs/docs/security.mdx and
    /// imagorpath/params_test.go.
    struct Vector: CustomTestStringConvertible {
        var key: String
        var path: String
        var algorithm = ThumborSettings.Algorithm.sha1
        var length: Int?
        var signature: String
        /// Empty if the path has a part without an equivalent.
        var steps: [String] = []

        var testDescription: String { "\(algorithm) \(path)" }

        var settings: ServiceSettings {
            var thumbor = ThumborSettings(key: Array(key.utf8))
            thumbor.algorithm = algorithm
            thumbor.signatureLength = length
            return Fixture.settings { $0.thumbor = thumbor }
        }

        func status(signature: String, _ settings: ServiceSettings? = nil) -> Int? {
            let path = "\(signature)/\(path)"[...]
            return Fixture.error { () throws(ServiceError) in
                try ThumborReader(settings ?? self.settings).request(path, now: 0)
            }?.status
        }
    }

    private static let image = "my.server.com/some/path/to/image.jpg"
    private static let gopher =
        "500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png"
    private static let params =
        "meta/10x11:12x13/fit-in/-300x-200/5x6/left/top/smart/filters:some_filter()/img"

    static let vectors = [
        Vector(
            key: "my-security-key", path: "300x200/\(image)", signature: "8ammJH8D-7tXy6kU3lTvoXlhu4o=",
            steps: ["cover:300x200,enlarge"]),
        Vector(
            key: "my-security-key", path: "10x10:200x200/300x200/\(image)",
            signature: "B35oBEIwztbc3jm7vsdqLez2C78=", steps: ["cut:10,10,190x190", "cover:300x200,enlarge"]),
        Vector(
            key: "my-security-key",
            path: "10x10:200x200/300x200/filters:brightness(20):contrast(10)/\(image)",
            signature: "as8U2DbUUtTMgvPF26LkjS3MocY=",
            steps: ["cut:10,10,190x190", "cover:300x200,enlarge", "color:0.2,1,1", "color:0,1.1,1"]),
        Vector(
            key: "mysecret", path: gopher, signature: "cST4Ko5_FqwT3BDn-Wf4gO3RFSk=",
            steps: ["cover:500x500,top,enlarge"]),
        Vector(key: "1234", path: params, signature: "VTAq7YIRbEXgtwAcsTMhAjvBuT8="),
        Vector(
            key: "mysecret", path: gopher, algorithm: .sha256, length: 40,
            signature: "IGEn3TxngivD0jy4uuiZim2bdUCvhcnVi1Nm0xGy", steps: ["cover:500x500,top,enlarge"]),
        Vector(
            key: "1234", path: params, algorithm: .sha256, length: 40,
            signature: "XBCO7esuLsNQuSF2v9ie36pESRGx2rzLjhUxXWnV"),
    ]

    @Test(arguments: vectors) func `A signature of another implementation is valid`(_ vector: Vector) throws {
        #expect(vector.status(signature: vector.signature) == (vector.steps.isEmpty ? 400 : nil))
        guard !vector.steps.isEmpty else { return }
        let path = "\(vector.signature)/\(vector.path)"[...]
        #expect(try ThumborReader(vector.settings).request(path, now: 0).texts == vector.steps)
    }

    @Test(arguments: vectors) func `A signature with another character is 403`(_ vector: Vector) {
        for position in vector.signature.indices {
            for digit in "AZaz09-_+/= " where vector.signature[position] != digit {
                var characters = vector.signature
                characters.replaceSubrange(position...position, with: String(digit))
                #expect(vector.status(signature: characters) == 403)
            }
        }
    }

    @Test(arguments: vectors) func `A signature of another length is 403`(_ vector: Vector) {
        #expect(vector.status(signature: "") == 403)
        #expect(vector.status(signature: "unsafe", signed(vector.settings)) == 403)
        #expect(vector.status(signature: String(vector.signature.dropLast())) == 403)
        #expect(vector.status(signature: vector.signature + "=") == 403)
    }

    @Test func `The word unsafe is valid only with signing off`() {
        let vector = Self.vectors[0]
        #expect(vector.status(signature: "unsafe") == nil)
        #expect(vector.status(signature: "Unsafe") == 403)
        #expect(vector.status(signature: "unsafe", signed(vector.settings)) == 403)
        #expect(vector.status(signature: vector.signature, signed(vector.settings)) == nil)
    }

    @Test func `All algorithms and lengths are read`() {
        // Python: base64.urlsafe_b64encode(hmac.new(b"key", b"1x1/e.com/a.jpg", sha512).digest())
        var vector = Vector(key: "key", path: "1x1/e.com/a.jpg", algorithm: .sha512, signature: "")
        vector.signature =
            "N1B0AEiMQM1RuYRX0tIer3_lhn-5kFwWdGHz6Yvch2f7"
            + "_zp0pxkvgVoo_BgqF9aeI1vZ4DqBPxDPX9uKcfbN-g=="
        #expect(vector.status(signature: vector.signature) == nil)
        vector.length = 11
        #expect(vector.status(signature: String(vector.signature.prefix(11))) == nil)
        vector.length = 1_000
        #expect(vector.status(signature: vector.signature) == nil)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 10]) func `With a length that is too short nothing is valid`(
        _ length: Int
    ) {
        var vector = Self.vectors[0]
        vector.length = length
        #expect(vector.status(signature: "") == 403)
        #expect(vector.status(signature: String(vector.signature.prefix(max(0, length)))) == 403)
        #expect(vector.status(signature: vector.signature) == 403)
    }

    @Test func `Without a key nothing is valid`() {
        // Python: base64.urlsafe_b64encode(hmac.new(b"", b"1x1/e.com/a.jpg", sha1).digest())
        let vector = Vector(key: "", path: "1x1/e.com/a.jpg", signature: "3XjlpZZYv2X95Jl3Sn7cPPonqRM=")
        #expect(vector.status(signature: vector.signature) == 403)
        #expect(vector.status(signature: "") == 403)
    }

    @Test func `A path without a signature is 403`() {
        let error = Fixture.error { () throws(ServiceError) in
            try ThumborReader(Fixture.settings()).request("unsafe", now: 0)
        }
        #expect(error?.status == 403)
    }

    private func signed(_ settings: ServiceSettings) -> ServiceSettings {
        var settings = settings
        settings.signing = .keys([])
        return settings
    }
}
