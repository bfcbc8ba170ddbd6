import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherImage
@testable import KingfisherService

/// From a URL to the bytes of a result.
@Suite struct ServiceLoadTests {
    private let manager: KingfisherManager
    private let negotiation = FormatNegotiation(registered: [.PNG])

    init() throws {
        let cache = try ImageCache(name: "service", cacheDirectoryURL: TestFolders.unused())
        manager = KingfisherManager(downloader: ImageDownloader(name: "service"), cache: cache)
    }

    private func urls() throws -> ServiceURLs {
        var settings = ServiceSettings(signing: .off)
        settings.watermarks = ["logo"]
        settings.sources.allowsFolder = true
        settings.imgproxy = ImgproxySettings(keys: [])
        settings.thumbor = ThumborSettings(key: [7])
        settings.thumbor?.scheme = "http"
        return try ServiceURLs(settings)
    }

    private func bytes(
        _ path: String, accept: [String] = [], with resources: ServiceLoad.Resources = .init()
    ) async throws -> RetrieveDataResult {
        let request = try urls().request(path: path, now: 0)
        let load = try ServiceLoad(request, accept: AcceptHeader(accept), negotiation, resources)
        return try await manager.retrieveData(with: load.source, options: load.options)
    }

    private func origin(_ file: String) throws -> LoopbackServer {
        let data = try Fixtures.data(named: file)
        return try LoopbackServer { _ in .ok(data) }
    }

    /// Native, imgproxy and thumbor; @ is the source, and % the source without a scheme.
    private static let equals: [(String, String, String?)] = [
        ("fit:90x60/plain/@", "rs:fit:90:60/f:jpg/plain/@", "fit-in/90x60/filters:format(jpeg)/%"),
        ("cover:64x64,enlarge/plain/@", "rs:fill:64:64:1/f:jpg/plain/@", "64x64/filters:format(jpeg)/%"),
        ("cover:64x64,top,ratio/plain/@", "rs:fill-down:64:64/g:no/f:jpg/plain/@", nil),
        (
            "cut:10,20,50x40/fit:25x0,enlarge/plain/@", "c:50:40:nowe:10:20/w:25/el:1/f:jpg/plain/@",
            "10x20:60x60/25x0/filters:format(jpeg)/%"
        ),
        ("rotate:90/fit:40x40/plain/@", "rot:90/rs:fit:40:40/f:jpg/plain/@", nil),
        (
            "fit:60x60/quality:55/plain/@", "rs:fit:60:60/q:55/f:jpg/plain/@",
            "fit-in/60x60/filters:quality(55):format(jpeg)/%"
        ),
        ("fit:60x60/blur:4/plain/@", "rs:fit:60:60/bl:4/f:jpg/plain/@", nil),
        ("fit:60x60/pixelate:6/margin:1,2,3,4/plain/@", "rs:fit:60:60/pix:6/pd:1:2:3:4/f:jpg/plain/@", nil),
        ("plain/@", "f:jpg/plain/@", nil),
    ]

    @Test(arguments: equals)
    func `Equal URLs of other services give equal bytes`(
        native: String, imgproxy: String, thumbor: String?
    ) async throws {
        let server = try origin("Photos/chelsea.jpg")
        defer { server.stop() }
        let source = server.url("/cat.jpg").absoluteString
        func filled(_ path: String) -> String {
            path.replacing("@", with: source)
                .replacing("%", with: source.replacing("http://", with: ""))
        }
        let own = try await bytes("/unsafe/\(filled(native))@jpeg").data
        #expect(own.kf.imageFormat == .JPEG)
        #expect(try await bytes("/imgproxy/unsafe/\(filled(imgproxy))").data == own)
        if let thumbor { #expect(try await bytes("/thumbor/unsafe/\(filled(thumbor))").data == own) }
        #expect(server.requestCount() == 1)
    }

    @Test func `One original serves all sizes, and a version is another source`() async throws {
        let server = try origin("Photos/coffee.jpg")
        defer { server.stop() }
        let source = server.url("/a.jpg").absoluteString
        for side in [20, 40, 60, 80] {
            let image = Image(data: try await bytes("/unsafe/fit:\(side)x\(side)/plain/\(source)").data)
            #expect(image?.pixels.map { max($0.width, $0.height) } == side)
        }
        #expect(server.requestCount() == 1)
        _ = try await bytes("/unsafe/fit:20x20/version:2/plain/\(source)")
        #expect(server.requestCount() == 2)
        #expect(try await bytes("/unsafe/fit:20x20/version:2/plain/\(source)").cacheType == .memory)
    }

    @Test func `Versions that differ only in their bytes are two sources`() async throws {
        let server = try origin("Photos/coffee.jpg")
        defer { server.stop() }
        let source = server.url("/a.jpg").absoluteString
        for version in ["%C3%A9", "e%CC%81", "%C3%A9", "e%CC%81"] {
            _ = try await bytes("/unsafe/fit:20x20/version:\(version)/plain/\(source)")
        }
        #expect(server.requestCount() == 2)
    }

    @Test func `The format follows Accept, the pixels and the URL`() async throws {
        let photo = try origin("Photos/coffee.jpg")
        let badge = try origin("Photos/badge.png")
        let cat = try origin("Photos/cat.gif")
        defer { for server in [photo, badge, cat] { server.stop() } }
        let rows: [(LoopbackServer, String, [String], ImageFormat)] = [
            (photo, "", [], .JPEG), (photo, "", ["image/png"], .PNG), (photo, "@png", [], .PNG),
            (badge, "", [], .PNG), (badge, "@jpeg", [], .JPEG), (cat, "", [], .JPEG),
            (cat, "@gif", [], .GIF), (badge, "/format:original", [], .PNG),
        ]
        for (server, format, accept, expected) in rows {
            let source = server.url("/a").absoluteString
            let path = format.hasPrefix("/") ? "\(format)/plain/\(source)" : "/plain/\(source)\(format)"
            let result = try await bytes("/unsafe/fit:40x40\(path)", accept: accept)
            #expect(result.format == expected, "\(format) \(accept)")
        }
    }

    private func frameCount(_ file: Data) -> Int? { try? ImageCodecs.open(file).header.frameCount }

    @Test func `All frames of an animation are kept if the URL asks for them`() async throws {
        let server = try origin("Photos/cat.gif")
        defer { server.stop() }
        let source = server.url("/a.gif").absoluteString
        let all = try await bytes("/unsafe/frames:all/fit:40x40/plain/\(source)")
        #expect(all.format == .GIF && frameCount(all.data) == 8)
        let first = try await bytes("/unsafe/fit:40x40/plain/\(source)@gif")
        #expect(frameCount(first.data) == 1)
    }

    @Test(arguments: ["coffee.jpg", "badge.png"], ["jpeg", "png"])
    func `A result does not depend on what was requested before`(name: String, format: String) async throws {
        let server = try origin("Photos/\(name)")
        defer { server.stop() }
        let source = server.url("/a").absoluteString
        let paths = ["fit:20x20/", "", "quality:1/", "quality:1/fit:200x200/"].map {
            "/unsafe/\($0)plain/\(source)@\(format)"
        }
        var alone: [Data] = []
        for path in paths {
            alone.append(try await ServiceLoadTests().bytes(path).data)
        }
        for order in [paths.indices.map(\.self), paths.indices.reversed().map(\.self)] {
            let fresh = try ServiceLoadTests()
            for index in order { #expect(try await fresh.bytes(paths[index]).data == alone[index]) }
        }
        // Once for each of six managers.
        #expect(server.requestCount() == 6)
    }

    @Test func `Results with all frames and with the first are two, with and without steps`() async throws {
        let server = try origin("Photos/cat.gif")
        defer { server.stop() }
        let source = server.url("/a.gif").absoluteString
        for steps in ["", "fit:40x40/"] {
            let paths = ["", "frames:all/"].map { "/unsafe/\($0)\(steps)plain/\(source)" }
            for order in [paths, paths.reversed()] {
                let fresh = try ServiceLoadTests()
                for path in order {
                    let result = try await fresh.bytes(path)
                    let isAll = path.contains("all")
                    #expect(frameCount(result.data) == (isAll ? 8 : 1))
                    #expect(result.format == (isAll ? .GIF : .JPEG))
                }
            }
        }
        #expect(try await bytes("/unsafe/plain/\(source)", accept: ["image/png"]).format == .PNG)
    }

    @Test func `Files of the folder and watermarks come from the resources`() async throws {
        var resources = ServiceLoad.Resources()
        let path = "/unsafe/watermark:logo/plain/local:///coffee.jpg"
        await #expect(throws: ServiceError.self) { try await bytes(path, with: resources) }
        resources.folder = try ImageFolder(url: Fixtures.url(named: "Photos"))
        await #expect(throws: ServiceError.self) { try await bytes(path, with: resources) }
        let mark = try #require(Image(data: Fixtures.data(named: "Photos/badge.png")))
        resources.watermarks["logo"] = .init(mark, name: "logo")
        let marked = try await bytes(path, with: resources).data
        let plain = try await bytes("/unsafe/plain/local:///coffee.jpg", with: resources).data
        #expect(marked != plain && Image(data: marked)?.size == Image(data: plain)?.size)
    }

    @Test(arguments: [
        ("", "accept-plain"), ("quality:80", "accept-plain"), ("quality:60", "q60jpeg"),
        ("format:jpeg/quality:60,webp=50", "q60jpeg-jpeg"), ("format:png/colors:16/effort:3", "e3-c16-png"),
        ("format:jpeg/progressive/chroma:444/maximumBytes:900", "progressive-y444-b900-jpeg"),
        ("format:jpeg/lossless/metadata:keep", "lossless-mkeep-jpeg"),
    ])
    func `Encoder settings identify a result`(options: String, expected: String) throws {
        let path = options.isEmpty ? "/unsafe/plain/http://a/" : "/unsafe/\(options)/plain/http://a/"
        let request = try urls().request(path: path, now: 0)
        let accepted = negotiation.acceptClass(AcceptHeader([]), mayAnimate: false)
        let text = ServiceSerializer(request, for: accepted, negotiation).identifier
        #expect(text.contains(expected))
        #expect(text.utf8.allSatisfy { $0 == 45 || (48...57).contains($0) || (97...122).contains($0) })
    }

    @Test func `A source that this program does not have is 404`() throws {
        for path in ["/unsafe/plain/local:///a.jpg", "/unsafe/expires:9999999999/upload"] {
            let request = try urls().request(path: path, now: 0)
            #expect(throws: ServiceError(404, "This service does not read such sources.")) {
                try ServiceLoad(request, accept: AcceptHeader([]), negotiation)
            }
        }
    }
}
