import Foundation
import Kingfisher
import KingfisherCodecSupport
import KingfisherSVG
import KingfisherTestSupport
import Testing

/// What a server sends for an untrusted SVG.
@Suite struct ServingTests {
    private func manager(_ file: Data) throws -> (KingfisherManager, URL, LoopbackServer) {
        ImageCodecs.register(.svg)
        let server = try LoopbackServer { _ in .ok(file, headers: [("Content-Type", "image/svg+xml")]) }
        let cache = try ImageCache(name: "serving", cacheDirectoryURL: TestFolders.unused())
        let manager = KingfisherManager(downloader: ImageDownloader(name: "serving"), cache: cache)
        return (manager, server.url("/logo.svg"), server)
    }

    @Test(arguments: [false, true])
    func `A file with a script is handed out unchanged, but not as SVG`(isCompressed: Bool) async throws {
        let plain = Samples.file("<script>alert(document.cookie)</script><rect width='9' height='9'/>")
        let script = isCompressed ? try Samples.gzip(plain) : plain
        let (manager, url, server) = try manager(script)
        defer { server.stop() }
        for _ in 0..<2 {
            let result = try await manager.retrieveData(with: .network(url), options: [.waitForCache])
            // The trap: a server that sends these bytes with the media type of their format runs the script.
            #expect(result.data == script && result.format == .svg)
            #expect(result.mediaType == "application/octet-stream")
            #expect(result.mediaType(allowingScripts: true) == "image/svg+xml")
        }
        let file = try await manager.retrieveFile(with: .network(url))
        #expect(file.format == .svg && file.mediaType == "application/octet-stream")
        #expect(file.response { _ in nil }.headers["Content-Type"] == "application/octet-stream")
        let wish = file.response(allowsScripts: true) { _ in nil }
        #expect(wish.headers["Content-Type"] == "image/svg+xml")
    }

    @Test(arguments: [("fit:300x300", 300, 200), ("fit:0x8", 12, 8), ("cover:100x100", 100, 100)])
    func `A box is rendered at its size`(step: String, width: Int, height: Int) throws {
        ImageCodecs.register(.svg)
        let image = try ProcessingStep(step).processor.process(
            item: .data(Samples.file("<rect width='24' height='16' fill='teal'/>")),
            options: KingfisherParsedOptionsInfo(nil))
        #expect(image?.pixels?.size == PixelSize(width: width, height: height))
        #expect(image?.pixels?.samples(x: width / 2, y: height / 2) == [0, 128, 128, 255])
    }

    @Test func `A rendered file has the media type of its format`() async throws {
        let (manager, url, server) = try manager(Samples.drawing)
        defer { server.stop() }
        let result = try await manager.retrieveData(
            with: .network(url), options: [.cacheSerializer(FormatIndicatedCacheSerializer.png)])
        #expect(result.format == .PNG && result.mediaType == "image/png")
    }
}
