import Foundation
import Kingfisher
import KingfisherImage
import KingfisherIsolation
import KingfisherTestSupport
import KingfisherVideo
import TestHelpers
import Testing

/// Frames as images of the library.
@Suite struct ProviderTests {
    @Test(
        "The key is that of the URL and the time", .behaviours("D-9"),
        arguments: [
            ("https://a.test/x/hello.mp4", 10, "https://a.test/x/hello.mp4_10.0"),
            ("https://a.test/hello.mp4?v=2", 0.5, "https://a.test/hello.mp4?v=2_0.5"),
        ] as [(String, Double, String)])
    func keys(url: String, seconds: Double, key: String) throws {
        let url = try #require(URL(string: url))
        #expect(AVAssetImageDataProvider(assetURL: url, seconds: seconds).cacheKey == key)
        #expect(AVAssetImageDataProvider(assetURL: url, time: seconds).cacheKey == key)
        let local = URL(fileURLWithPath: "/videos/hello.mp4")
        let provider = AVAssetImageDataProvider(assetURL: local, seconds: seconds)
        #expect(provider.cacheKey == "\(local.cacheKey)_\(seconds)" && provider.contentURL == local)
        var generator = VideoFrameGenerator(asset: url)
        generator.maximumSize = CGSize(width: 300, height: 200)
        let small = AVAssetImageDataProvider(assetImageGenerator: generator, time: seconds)
        #expect(small.cacheKey == key + "_300.0x200.0")
    }

    @Test("A manager loads a frame, caches it, and loads it from the cache")
    func loading() async throws {
        try await Videos.withFolder { folder in
            let cache = try ImageCache(name: "videos", cacheDirectoryURL: folder)
            let manager = KingfisherManager(downloader: ImageDownloader(name: "videos"), cache: cache)
            let provider = AVAssetImageDataProvider(
                assetImageGenerator: Videos.generator(Videos.url("h264.mp4")), time: 1.04)
            for type in [CacheType.none, .memory, .disk] {
                if type == .disk { cache.clearMemoryCache() }
                let result = try await manager.retrieveImage(
                    with: .provider(provider), options: [.waitForCache])
                #expect(result.cacheType == type)
                let psnr = Videos.psnr(result.image.pixels, try Videos.reference("h264.mp4", 26))
                #expect(psnr > 28, "the JPEG has \(psnr) dB")
            }
        }
    }

    @Test("A cached frame of a local video is made again once the file has changed")
    func changes() async throws {
        try await Videos.withFolder { folder in
            let cache = try ImageCache(name: "videos", cacheDirectoryURL: folder)
            let manager = KingfisherManager(downloader: ImageDownloader(name: "videos"), cache: cache)
            let file = folder.appending(path: "clip.mp4")
            let provider = AVAssetImageDataProvider(
                assetImageGenerator: Videos.generator(file), time: 0)
            var sizes: [CGSize] = []
            for name in ["h264.mp4", "rotated.mp4"] {
                try Fixtures.data(named: "Video/\(name)").write(to: file)
                for type in [CacheType.none, .memory] {
                    let result = try await manager.retrieveImage(
                        with: .provider(provider), options: [.waitForCache])
                    #expect(result.cacheType == type, "\(name)")
                    sizes.append(result.image.size)
                }
            }
            #expect(sizes[1] == CGSize(width: 96, height: 64) && sizes[3] == CGSize(width: 64, height: 96))
        }
    }

    @Test("A decoder without FFmpeg's libraries names what is missing")
    func doctor() throws {
        let report = try Videos.pool.report(.video)
        #expect(report.missing == nil && report.formats == ["H.264", "HEVC", "VP8", "VP9", "AV1"])
    }
}
