import Kingfisher
import KingfisherDigests
import Testing

@testable import KingfisherService

struct ImgproxyRepairTests {
    private static let key = ImgproxySettings.KeyPair(key: Array("secret".utf8), salt: Array("hello".utf8))

    private static func settings(onlyPresets: Bool = false) -> ServiceSettings {
        Fixture.settings {
            $0.imgproxy = ImgproxySettings(keys: [key])
            $0.imgproxy?.usesOnlyPresets = onlyPresets
            $0.imgproxy?.presets = ["a": "w:100", "b": "q:50"]
            $0.sources.allowsFolder = true
        }
    }

    private static func signed(_ path: String, as received: String) -> Substring {
        let code = HMAC.code(of: key.salt + Array("/\(path)".utf8), key: key.key)
        return "\(Base64URL.encode(code))/\(received)"[...]
    }

    @Test(arguments: [
        ("w:300/plain/https://e.com/a.jpg", "w%3A300/plain/https://e.com/a.jpg"),
        ("w:300/plain/https://e.com/a.jpg", "w%3a300/plain/https:/e.com/a.jpg"),
        ("rs:fit:300:0/plain/https://e.com/a.jpg", "rs%3Afit%3A300%3a0/plain/https://e.com/a.jpg"),
        ("w:300/plain/https://e.com/a.jpg@png", "w:300/plain/https:/e.com/a.jpg@png"),
        ("w:300/aHR0cHM6Ly9lLmNvbS9hLmpwZw", "w%3A300/aHR0cHM6Ly9lLmNvbS9hLmpwZw"),
        ("plain/https://e.com/a.jpg", "plain/https:/e.com/a.jpg"),
    ])
    func `A path that a proxy changed is valid as it was signed`(_ path: String, _ received: String) throws {
        let reader = ImgproxyReader(Self.settings())
        let request = try reader.request(Self.signed(path, as: received), now: 0)
        #expect(try request == reader.request(Self.signed(path, as: path), now: 0))
        #expect(try request.source == Fixture.http("https://e.com/a.jpg"))
    }

    @Test(arguments: [
        ("plain/local:///b/a.jpg", "plain/local:/b/a.jpg"),
        ("w:300/plain/local:///b/a.jpg", "w%3A300/plain/local:/b/a.jpg"),
    ])
    func `A local source gets its three slashes again`(_ path: String, _ received: String) throws {
        let reader = ImgproxyReader(Self.settings())
        let request = try reader.request(Self.signed(path, as: received), now: 0)
        #expect(request.source == .local(path: "b/a.jpg"))
    }

    @Test func `Names of presets are repaired`() throws {
        let path = Self.signed("a:b/plain/https://e.com/a.jpg", as: "a%3Ab/plain/https:/e.com/a.jpg")
        let request = try ImgproxyReader(Self.settings(onlyPresets: true)).request(path, now: 0)
        #expect(request.texts == ["fit:100x0"])
        #expect(request.options.quality == 50)
    }

    @Test(arguments: [
        ("w:300/plain/https://e.com/a.jpg", "w%253A300/plain/https://e.com/a.jpg"),
        ("w:300/plain/https://e.com/a.jpg", "w:300/plain/https:///e.com/a.jpg"),
        ("w:300/plain/https://e.com/a%3Ab.jpg", "w:300/plain/https://e.com/a:b.jpg"),
        ("w:300/plain/https://e.com/a:b.jpg", "w:300/plain/https://e.com/a%3Ab.jpg"),
        ("w:300/plain/https://e.com/a.jpg", "w:300//plain/https://e.com/a.jpg"),
        ("w:300/plain/https://e.com/a.jpg", "w:300/plain/http://e.com/a.jpg"),
    ])
    func `A path that was changed otherwise is 403`(_ path: String, _ received: String) {
        let error = Fixture.error { () throws(ServiceError) in
            try ImgproxyReader(Self.settings()).request(Self.signed(path, as: received), now: 0)
        }
        #expect(error?.status == 403)
    }

    @Test func `A path that verifies as received is not repaired`() throws {
        // The option's name is "w%3A300" here, which starts a Base64 source.
        let path = "w%3A300/plain/https:/e.com/a.jpg"
        let error = Fixture.error { () throws(ServiceError) in
            try ImgproxyReader(Self.settings()).request(Self.signed(path, as: path), now: 0)
        }
        #expect(error?.status == 404)
    }
}
