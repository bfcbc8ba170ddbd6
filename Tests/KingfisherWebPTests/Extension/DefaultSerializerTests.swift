import Foundation
import KingfisherWebP
import Testing

extension RegistryTests {
    /// Images that `WebPProcessor` decodes, with a cache serializer that does not support WebP.
    @Suite struct DefaultSerializerTests {
        private let options: KingfisherOptionsInfo = [.processor(WebPProcessor.default)]

        private func frames(_ image: Image) throws -> [[UInt8]] {
            let source = try #require(image.kf.frameSource)
            return try (0..<source.frameCount).map { try #require(source.frame(at: $0)).straightSamples }
        }

        @Test(arguments: [[], [.onlyLoadFirstFrame], [.preloadAllAnimationData]] as [KingfisherOptionsInfo])
        func animationsAreStoredAsAPNG(first: KingfisherOptionsInfo) async throws {
            let stand = try Stand(serving: Files.animation)
            _ = try await stand.retrieve(options + first)
            #expect(stand.filesOnDisk.map(\.kf.imageFormat) == [.APNG])
            stand.cache.clearMemoryCache()
            let read = try await stand.retrieve(options)
            #expect(read.cacheType == .disk && stand.requestCount == 1)
            #expect(try frames(read.image) == Samples.colors && read.image.kf.frameSource?.loopCount == 4)
        }

        @Test func stillsAreStoredAsPNG() async throws {
            let stand = try Stand(serving: Files.lossless)
            _ = try await stand.retrieve(options)
            #expect(stand.filesOnDisk.map(\.kf.imageFormat) == [.PNG])
            stand.cache.clearMemoryCache()
            let read = try await stand.retrieve(options)
            #expect(try read.cacheType == .disk && read.image.pixels?.straightSamples == Files.samples)
        }
    }
}
