import Foundation
import KingfisherWebP
import Testing

extension RegistryTests {
    /// Typical use of the extension: two options, and no registered codec.
    @Suite struct WalkthroughTests {
        private let options: KingfisherOptionsInfo = [
            .processor(WebPProcessor.default), .cacheSerializer(WebPCacheSerializer.default),
        ]

        @Test func withoutTheProcessorTheRequestFails() async throws {
            let stand = try Stand(serving: Files.lossless)
            await #expect(throws: KingfisherError.self) { try await stand.retrieve([]) }
            #expect(stand.filesOnDisk.isEmpty)
        }

        @Test(arguments: ["lossless", "lossy", "animation", "lossyAnimation"])
        func imagesAreLoadedFromTheServerMemoryAndDisk(name: String) async throws {
            let files = try ["lossless": Files.lossless, "lossy": Files.lossy, "animation": Files.animation]
            let file = try files[name] ?? Files.lossyAnimation
            let stand = try Stand(serving: file)
            let fetched = try await stand.retrieve(options)
            #expect(fetched.cacheType == .none && fetched.data() == file)
            #expect(stand.filesOnDisk == [file])
            #expect(try await stand.retrieve(options).cacheType == .memory)

            stand.cache.clearMemoryCache()
            let read = try await stand.retrieve(options)
            #expect(read.cacheType == .disk && read.data() == file)
            #expect(read.image.kf.imageFrameCount == (name.lowercased().hasSuffix("animation") ? 3 : nil))
            #expect(try read.image.pixels?.straightSamples == fetched.image.pixels?.straightSamples)
            #expect(stand.requestCount == 1 && stand.filesOnDisk == [file])
        }

        @Test func processedImagesAreStoredAsWebP() async throws {
            let stand = try Stand(serving: Files.lossless)
            let options: KingfisherOptionsInfo = [
                .processor(WebPProcessor.default |> RoundCornerImageProcessor(cornerRadius: 8)),
                .cacheSerializer(WebPCacheSerializer.default),
            ]
            let fetched = try await stand.retrieve(options)
            let file = try #require(stand.filesOnDisk.first)
            #expect(try stand.filesOnDisk.count == 1 && Libwebp.isLossless(file))
            stand.cache.clearMemoryCache()
            let read = try await stand.retrieve(options)
            #expect(read.cacheType == .disk)
            #expect(try read.image.pixels?.straightSamples == fetched.image.pixels?.straightSamples)
        }

        @Test func loadingTheFirstFrameStoresTheWholeAnimation() async throws {
            let stand = try Stand(serving: Files.animation)
            let first = try await stand.retrieve(options + [.onlyLoadFirstFrame])
            #expect(first.image.kf.frameSource == nil)
            #expect(try stand.filesOnDisk == [Files.animation])
            // A later request for the whole animation needs no download.
            for isInMemory in [true, false] {
                if !isInMemory { stand.cache.clearMemoryCache() }
                #expect(try await stand.retrieve(options).image.kf.frameSource?.frameCount == 3)
            }
            #expect(stand.requestCount == 1)
        }
    }
}
