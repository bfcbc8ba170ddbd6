import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct LivePhotoTests {
    let box: Sandbox
    private let urls: [URL]

    init() throws {
        box = try Sandbox()
        urls = ["garbage/still.heic", "garbage/motion.mov"].map(box.url)
    }

    @Test("Both files of a live photo are loaded, the second time from disk")
    func retrieves() async throws {
        let source = LivePhotoSource(urls: urls)
        let result = try await box.manager.retrieveLivePhoto(with: source)
        #expect(result.fileURLs.map(\.pathExtension) == ["heic", "mov"] && result.cacheType == .none)
        #expect(result.data() == [Data("still.heic".utf8), Data("motion.mov".utf8)])
        #expect(try Data(contentsOf: result.fileURLs[1]) == Data("motion.mov".utf8))

        let again = try await box.manager.retrieveLivePhoto(with: source)
        #expect(again.cacheType == .disk && again.fileURLs == result.fileURLs && again.data().isEmpty)
        #expect(box.server.requestCount() == 2)
    }

    @Test("The files of a live photo can be described individually")
    func resources() {
        let still = LivePhotoResource(downloadURL: urls[0], cacheKey: "still")
        let motion = LivePhotoResource(
            resource: ImageResource(downloadURL: box.url("garbage/x"), cacheKey: "motion"), fileType: .mov)
        let other = LivePhotoResource(source: .network(box.url("garbage/y.avif")))
        #expect(still.referenceFileType == .heic && motion.referenceFileType == .mov)
        #expect(other.referenceFileType == .other("avif") && motion.dataSource.cacheKey == "motion")
        #expect(LivePhotoSource([still, motion]).resources.count == 2)
        #expect(LivePhotoSource(resources: [urls[0], urls[1]]).resources.map(\.dataSource.url) == urls)
    }

    @Test("A single file is downloaded unchanged")
    func downloads() async throws {
        let options = KingfisherParsedOptionsInfo(nil)
        let result = try await box.downloader.downloadLivePhotoResource(with: urls[0], options: options)
        #expect(result.originalData == Data("still.heic".utf8) && result.url == urls[0])
        let called: Result<LivePhotoResourceDownloadingResult, KingfisherError> = await answer { done in
            box.downloader.downloadLivePhotoResource(with: urls[1], options: options, completionHandler: done)
        }
        #expect(try called.get().originalData == Data("motion.mov".utf8))
    }
}
