import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherService

/// The step `text` in URLs.
@Suite struct TextLoadTests {
    private let urls: ServiceURLs

    init() throws {
        urls = try ServiceURLs(ServiceSettings(signing: .off))
    }

    private func load(_ step: String, _ upload: Data) throws -> ServiceLoad {
        let path = "/unsafe/\(step)/expires:4000000000/upload@png"
        return try ServiceLoad(
            urls.request(path: path, now: 0), accept: AcceptHeader([]), FormatNegotiation(registered: [.PNG]),
            upload: upload)
    }

    private func manager(_ context: DecodingContext) throws -> KingfisherManager {
        let cache = try ImageCache(name: "text", cacheDirectoryURL: TestFolders.unused())
        let manager = KingfisherManager(downloader: ImageDownloader(name: "text"), cache: cache)
        manager.defaultOptions = [.decodingContext(context)]
        return manager
    }

    @Test func `A URL gives the pixels of the step, as the tool does`() async throws {
        let photo = try Fixtures.data(named: "Photos/coffee.jpg")
        let load = try load("fit:100x100/text:4piD,top,20%25h,%23f00", photo)
        let result = try await manager(StubSVG.context).retrieveData(
            with: load.source, options: load.options + [.waitForCache])
        let steps = try ["fit:100x100", "text:4piD,top,20%h,#f00"].map { try ProcessingStep($0) }
        let expected = StubSVG.context.run {
            steps.processor?.process(item: .data(photo), options: KingfisherParsedOptionsInfo(nil))
        }
        let pixels = try #require(try Image.decode(result.data).pixels)
        #expect(
            try pixels.converted(to: .rgba8Straight).packedBytes
                == #require(expected?.pixels).converted(to: .rgba8Straight).packedBytes)
        #expect(pixels.samples(x: 50, y: 3)?.prefix(3) == [0, 0, 0])
    }

    @Test func `A service that cannot draw says so, unless the source is no image`() async throws {
        let photo = try Fixtures.data(named: "Photos/badge.png")
        let without = DecodingContext(codecs: .builtIn)
        for (step, upload, context, name) in [
            ("text:YQ", photo, without, "cannot_draw_text"),
            ("text:YQ", Data("no image at all".utf8), StubSVG.context, "not_an_image"),
            ("fit:9x9", Data("no image at all".utf8), without, "not_an_image"),
        ] {
            let load = try load(step, upload)
            let manager = try manager(context)
            let error = await #expect(throws: (any Error).self) {
                try await manager.retrieveData(with: load.source, options: load.options)
            }
            let failure = ServiceFailure(load.cause(of: try #require(error), in: context))
            #expect(failure.error.status == 422 && failure.name == name)
        }
    }

    @Test(arguments: [
        ("text:YQo", "one line"), ("text:", "text:BASE64URL"), ("text:Y%20", "text:BASE64URL"),
        ("text:YQ,5%25h", "text:BASE64URL"), ("text:YQ,5", "out of range"), ("text:_w", "one line"),
        ("text:YQ,top,5%25", "text:BASE64URL"),
    ])
    func `A wrong step is 400 and says what is expected`(_ step: String, _ reason: String) {
        let error = #expect(throws: ServiceError.self) {
            try urls.request(path: "/unsafe/\(step)/plain/https://e.com/a.jpg", now: 0)
        }
        #expect(error?.status == 400 && error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func `Different texts have different keys, and equal ones the same`() throws {
        let keys = try [
            "text:YQ", "text:YQ==", "text:YQ,%23fff", "text:Yg", "text:YQ,top", "text:w6k", "text:ZcyB",
        ]
        .map { try load($0, Data("file".utf8)).key }
        #expect(keys[0] == keys[1] && keys[0] == keys[2] && Set(keys).count == 5)
    }
}
