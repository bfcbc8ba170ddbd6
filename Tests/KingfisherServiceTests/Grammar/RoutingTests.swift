import Testing

@testable import KingfisherService

/// Which reader a path belongs to.
struct RoutingTests {
    static func settings(
        native: String, imgproxy: String? = nil, thumbor: String? = nil
    ) -> ServiceSettings {
        var settings = NativeFixture().settings
        settings.nativePrefix = native
        settings.imgproxy = imgproxy.map { prefix in
            var imgproxy = ImgproxySettings(keys: [.init(key: [1], salt: [2])])
            imgproxy.prefix = prefix
            return imgproxy
        }
        settings.thumbor = thumbor.map { prefix in
            var thumbor = ThumborSettings(key: [1])
            thumbor.prefix = prefix
            return thumbor
        }
        return settings
    }

    @Test(arguments: [
        ("/S/a", "native", "S/a"), ("/imgproxy/S/a", "imgproxy", "S/a"),
        ("/imgproxyS/a", "native", "imgproxyS/a"),
        ("/imgproxy", "native", "imgproxy"), ("/imgproxy/", "imgproxy", ""),
        ("/thumbor/S/a", "thumbor", "S/a"),
        ("/imgproxy/old/S/a", "imgproxy", "old/S/a"), ("/Imgproxy/S", "native", "Imgproxy/S"),
        ("/imgproxy%2FS", "native", "imgproxy%2FS"), ("/", "native", ""),
    ])
    func `The longest prefix has the path`(_ path: String, reader: String, rest: String) throws {
        let routes = ServiceRoute.all(Self.settings(native: "/", imgproxy: "/imgproxy", thumbor: "/thumbor"))
        let match = try #require(ServiceRoute.match(routes, path))
        #expect(match.0.reader.rawValue == reader)
        #expect(match.1 == rest)
    }

    @Test(arguments: [
        ("/k/S/a", "native"), ("/S/a", "imgproxy"), ("/k/t/S/a", "thumbor"), ("/k/tS/a", "native"),
        ("/kS/a", "imgproxy"),
    ])
    func `One reader may have all other paths`(_ path: String, reader: String) throws {
        let routes = ServiceRoute.all(Self.settings(native: "/k", imgproxy: "/", thumbor: "/k/t"))
        #expect(ServiceRoute.match(routes, path)?.0.reader.rawValue == reader)
    }

    @Test(arguments: [
        ("", 400), ("S", 400), ("*", 400), ("https://e.com/", 400), ("//", 400), ("//S/plain/H/a.jpg", 400),
        ("/", 404), ("/other", 404), ("/k", 404), ("/k/", 403), ("/k/S", 403), ("/k//S/plain/H/a.jpg", 403),
        ("/imgproxy/S/a", 404),
    ])
    func `A path without a reader has its status`(_ path: String, status: Int) throws {
        var fixture = NativeFixture()
        fixture.settings.nativePrefix = "/k"
        #expect(try fixture.failure(path)?.status == status)
    }

    @Test(arguments: ["/", "/k", "/k/images"])
    func `A signed path has the prefix and is read again`(_ prefix: String) throws {
        let urls = try ServiceURLs(Self.settings(native: prefix))
        for path in ["/bw/plain/https://e.com/a.jpg@webp", "/info/plain/https://e.com/a.jpg"] {
            let signed = try urls.sign(path: path)
            #expect(signed.hasPrefix(prefix))
            let request = try urls.request(path: signed, now: 0)
            #expect(urls.path(for: request) == path)
            #expect(try urls.signedPath(for: request) == signed)
        }
    }
}
