import Kingfisher
import KingfisherDigests
import KingfisherImage
import Testing

@testable import KingfisherService

struct ImgproxySignatureTests {
    /// imgproxy-docs 752e7bb docs/usage/signing_url.mdx, imgproxy eef3b312 examples/signature.clj and
    /// security/signature_test.go: key, salt, path, size, signature, and the result of the reader behind it.
    struct Vector: CustomTestStringConvertible {
        var key: String
        var salt: String
        var path: String
        var size = 32
        var signature: String
        /// Nil if the path is an image that this service can make.
        var status: Int?

        var testDescription: String { "\(path), \(size) bytes" }

        var settings: ServiceSettings {
            Fixture.settings {
                let pair = ImgproxySettings.KeyPair(key: Fixture.bytes(key), salt: Fixture.bytes(salt))
                $0.imgproxy = ImgproxySettings(keys: [pair])
                $0.imgproxy?.signatureSize = size
            }
        }

        func status(signature: String, _ settings: ServiceSettings? = nil) -> Int? {
            let path = "\(signature)\(path)"[...]
            return Fixture.error { () throws(ServiceError) in
                try ImgproxyReader(settings ?? self.settings).request(path, now: 0)
            }?.status
        }
    }

    static let documented = Vector(
        key: "736563726574", salt: "68656c6c6f",
        path: "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
        signature: "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8", status: 400)
    static let example = Vector(
        key: "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881",
        salt: "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5",
        path: "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg",
        signature: "m3k5QADfcKPDj-SDI2AIogZbC3FlAXszuwhtWXYqavc")
    static let first = Vector(
        key: "746573742d6b6579", salt: "746573742d73616c74", path: "/asd",
        signature: "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20", status: 404)
    static let truncated = Vector(
        key: "746573742d6b6579", salt: "746573742d73616c74", path: "/asd", size: 8,
        signature: "oWaL7QoW5Ts", status: 404)
    static let second = Vector(
        key: "746573742d6b657932", salt: "746573742d73616c7432", path: "/asd",
        signature: "jYz1UZ7j1BCdSzH3pZhaYf0iuz0vusoOTdqJsUT6WXI", status: 404)

    @Test(arguments: [documented, example, first, truncated, second])
    func `A signature of another implementation is valid`(_ vector: Vector) {
        #expect(vector.status(signature: vector.signature) == vector.status)
    }

    @Test(arguments: [(first, "oWaL7QoW5Ts"), (second, "dtLwhdnPPis")])
    func `A signature of another length or key is 403`(_ vector: Vector, _ signature: String) {
        #expect(vector.status(signature: signature) == 403)
    }

    @Test func `The documented URL is an image if smart crops are centred`() throws {
        var settings = Self.documented.settings
        settings.smartCrop = .center
        let path = "\(Self.documented.signature)\(Self.documented.path)"[...]
        let request = try ImgproxyReader(settings).request(path, now: 0)
        #expect(request.texts == ["cover:300x400"])
        #expect(request.options.format == .exactly(.PNG))
        #expect(try request.source == Fixture.http("http://example.com/images/curiosity.jpg"))
    }

    @Test(arguments: [first, second]) func `Each of several keys is valid`(_ vector: Vector) {
        let pairs = [Self.first, Self.second].map {
            ImgproxySettings.KeyPair(key: Fixture.bytes($0.key), salt: Fixture.bytes($0.salt))
        }
        let settings = Fixture.settings { $0.imgproxy = ImgproxySettings(keys: pairs) }
        #expect(vector.status(signature: vector.signature, settings) == vector.status)
        #expect(vector.status(signature: Self.example.signature, settings) == 403)
    }

    @Test(arguments: 0..<43) func `A signature with another character is 403`(_ position: Int) {
        for digit in "ABCXYZabcxyz0189-_=+/ " {
            var characters = Array(Self.example.signature)
            guard characters[position] != digit else { continue }
            characters[position] = digit
            #expect(Self.example.status(signature: String(characters)) == 403)
        }
    }

    @Test(arguments: ["", "unsafe", "=", "m3k5QADfcKPDj-SDI2AIogZbC3FlAXszuwhtWXYqavc=", "_"])
    func `A missing or padded signature is 403`(_ signature: String) {
        #expect(Self.example.status(signature: signature) == 403)
    }

    @Test(arguments: [-1, 0, 1, 7, 9, 15, 33, 1_000])
    func `With a size that is not allowed nothing is valid`(_ size: Int) {
        var vector = Self.example
        vector.size = size
        #expect(vector.status(signature: vector.signature) == 403)
        #expect(vector.status(signature: "") == 403)
        #expect(vector.status(signature: String(vector.signature.prefix(10))) == 403)
    }

    @Test func `Without keys everything is refused, unless signing is off`() throws {
        let key = try #require(SigningKey([UInt8](repeating: 1, count: 32)))
        let signed = Fixture.settings { $0.signing = .keys([key]) }
        #expect(Self.example.status(signature: Self.example.signature, signed) == 403)
        #expect(Self.example.status(signature: "", signed) == 403)
        #expect(Self.example.status(signature: "anything", Fixture.settings()) == nil)
        #expect(Self.example.status(signature: "", Fixture.settings()) == nil)
    }

    @Test func `A key without bytes is not a key`() {
        var vector = Self.first
        (vector.key, vector.salt) = ("", "")
        let code = HMAC.code(of: Array(vector.path.utf8), key: [])
        #expect(vector.status(signature: Base64URL.encode(code)) == 403)
        #expect(vector.status(signature: "") == 403)
    }
}
