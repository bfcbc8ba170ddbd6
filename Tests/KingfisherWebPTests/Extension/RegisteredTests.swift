import Foundation
import KingfisherTestSupport
import KingfisherWebP
import TestHelpers
import Testing

extension RegistryTests {
    /// A registered WebP codec, without options that name it.
    @Suite(.webPRegistered) struct RegisteredTests {
        @Test func theRegistryContainsWebP() throws {
            #expect(ImageCodecs.codec(for: .webP) is WebPCodec)
            #expect(ImageCodecs.format(forFileExtension: "WebP") == .webP)
            for file in try [Files.lossless, Files.lossy, Files.animation] {
                #expect(file.kf.imageFormat == .webP)
            }
            ImageCodecs.unregister(.webP)
            #expect(ImageCodecs.codec(for: .webP) == nil)
            #expect(try Files.lossless.kf.imageFormat == .unknown)
        }

        @Test(arguments: ["lossless", "lossy", "animation"])
        func theBytesOfTheServerAreStored(name: String) async throws {
            let files = try ["lossless": Files.lossless, "lossy": Files.lossy]
            let file = try files[name] ?? Files.animation
            let stand = try Stand(serving: file)
            let fetched = try await stand.retrieve([])
            #expect(fetched.cacheType == .none && fetched.data() == file && stand.filesOnDisk == [file])
            stand.cache.clearMemoryCache()
            let read = try await stand.retrieve([])
            #expect(read.cacheType == .disk && read.data() == file)
            #expect(try read.image.pixels?.straightSamples == fetched.image.pixels?.straightSamples)
            #expect(read.image.kf.frameSource?.frameCount == (name == "animation" ? 3 : nil))
        }

        @Test func processedImagesAreStoredAsWebP() async throws {
            let stand = try Stand(serving: Files.lossy)
            let options: KingfisherOptionsInfo = [
                .processor(CroppingImageProcessor(size: CGSize(width: 20, height: 15)))
            ]
            _ = try await stand.retrieve(options)
            let file = try #require(stand.filesOnDisk.first)
            #expect(file.kf.imageFormat == .webP)
            #expect(try Libwebp.samples(file).count == 20 * 15 * 4)
        }

        @Test(arguments: [true, false]) func processedImagesAreLosslessIfTheirFileIs(isLossless: Bool)
            async throws
        {
            let processor = CroppingImageProcessor(size: CGSize(width: 20, height: 15))
            let still = try Stand(serving: isLossless ? Files.lossless : Files.lossy)
            let image = try await still.retrieve([.processor(processor)]).image
            let file = try #require(still.filesOnDisk.first)
            #expect(try Libwebp.isLossless(file) == isLossless)
            #expect(try (Libwebp.samples(file) == image.pixels?.straightSamples) == isLossless)

            let moving = try Stand(serving: isLossless ? Files.animation : Files.lossyAnimation)
            _ = try await moving.retrieve([.processor(processor), .processesAnimatedFrames])
            let frames = try Libwebp.animation(#require(moving.filesOnDisk.first))
            #expect(frames.areLossless == [isLossless, isLossless, isLossless])
        }

        @Test(
            arguments: [WebPCacheSerializer.default, DefaultCacheSerializer.default] as [any CacheSerializer])
        func anOriginalInMemoryDeterminesTheFormat(serializer: any CacheSerializer) async throws {
            let options: KingfisherOptionsInfo = [.cacheSerializer(serializer)]
            let processing: KingfisherOptionsInfo = [
                .processor(CroppingImageProcessor(size: CGSize(width: 20, height: 15))),
                .processesAnimatedFrames,
            ]
            let lossy = try [Files.lossy, Files.lossyAnimation]
            for original in lossy {
                let stand = try Stand(serving: original)
                _ = try await stand.retrieve(options)
                let result = try await stand.retrieve(options + processing)
                let files = stand.filesOnDisk.filter { $0 != original }
                #expect(files.map(\.kf.imageFormat) == [.webP] && stand.requestCount == 1)
                #expect(try !WebPCodec().header(of: #require(files.first)).isLossless)
                if original == lossy[1] { #expect(result.data() == files.first) }
            }
        }

        @Test func originalsInMemoryGetTheRequestedScale() async throws {
            let options: KingfisherOptionsInfo = [.processor(WebPProcessor.default), .scaleFactor(2)]
            let still = try Stand(serving: Files.lossy)
            _ = try await still.retrieve([])
            #expect(try await still.retrieve(options).image.size == CGSize(width: 20, height: 15))
            let moving = try Stand(serving: Files.animation)
            _ = try await moving.retrieve([.onlyLoadFirstFrame])
            let image = try await moving.retrieve(options).image
            #expect(image.kf.frameSource?.frameCount == 3 && image.scale == 2)
            #expect(still.requestCount == 1 && moving.requestCount == 1)
        }

        @Test func headersStateWhetherFilesAreLossless() throws {
            let codec = WebPCodec()
            for file in try [Files.lossless, Files.animation] {
                #expect(try codec.header(of: file).isLossless)
            }
            for file in try [Files.lossy, Files.lossyAnimation] {
                #expect(try !codec.header(of: file).isLossless)
            }
            for file in try [Files.png, Files.gif] { #expect(try ImageCodecs.open(file).header.isLossless) }
        }

        @Test func animationsAreConvertedBetweenFormats() throws {
            let gif = try #require(KingfisherWrapper<Image>.image(data: Files.gif, options: .init()))
            let written = try Libwebp.animation(gif.encoded(as: .webP, options: .init(isLossless: true)))
            #expect(written.delays == [100, 100, 20, 70, 1000, 100])
            #expect(try gif.kf.data(format: .webP) == gif.encoded(as: .webP))
        }

        @Test func dataProvidersMayReturnWebP() async throws {
            let stand = try Stand(serving: Data())
            let file = stand.folder.appending(path: "image.webp")
            try Files.lossless.write(to: file)
            let providers: [any ImageDataProvider] = [
                LocalFileImageDataProvider(fileURL: file),
                RawImageDataProvider(data: try Files.animation, cacheKey: "raw"),
                Base64ImageDataProvider(
                    base64String: try Files.lossy.base64EncodedString(), cacheKey: "text"),
            ]
            let images = try [Files.lossless, Files.animation, Files.lossy]
            for (provider, image) in zip(providers, images) {
                let result = try await stand.retrieve(.provider(provider), [])
                #expect(result.data() == image && stand.filesOnDisk.contains(image))
            }
            #expect(stand.requestCount == 0)
        }

        @Test func thumbnailsAreStoredAsWebP() async throws {
            let stand = try Stand(serving: Files.lossy)
            let result = try await stand.retrieve([
                .processor(DownsamplingImageProcessor(size: CGSize(width: 10, height: 10))), .scaleFactor(2),
            ])
            #expect(result.image.size == CGSize(width: 10, height: 7.5))
            #expect(stand.filesOnDisk.first?.kf.imageFormat == .webP)
        }

        @Test(
            arguments: [
                DownsamplingImageProcessor(size: CGSize(width: 400, height: 400)),
                WebPProcessor(size: CGSize(width: 400, height: 400)),
            ] as [any ImageProcessor])
        func imagesWithinTheTargetSizeKeepTheirBytes(processor: any ImageProcessor) async throws {
            let stand = try Stand(serving: Files.lossy)
            let result = try await stand.retrieve([.processor(processor), .scaleFactor(2)])
            #expect(result.image.scale == 2)
            #expect(try stand.filesOnDisk == [Files.lossy])
            // For an animation the result is its first frame, so the bytes of the file do not represent it.
            let moving = try Stand(serving: Files.animation)
            #expect(try await moving.retrieve([.processor(processor)]).image.kf.imageFrameCount == nil)
            #expect(try Libwebp.samples(#require(moving.filesOnDisk.first)).count == 24 * 16 * 4)
        }

        @Test func imagesFromDataKeepTheirBytes() throws {
            for file in try [Files.lossy, Files.lossless] {
                let image = try #require(Image(data: file, scale: 2))
                #expect(image.scale == 2 && image.webPData == file && image.kf.data(format: .webP) == file)
            }
            // The first frame of an animation has no file.
            let first = try #require(Image(data: Files.animation))
            #expect(try Libwebp.samples(#require(first.webPData)) == Samples.colors[0])
        }

        @Test func imagesAreReadFromFiles() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "webp-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Files.lossless.write(to: folder.appending(path: "image@2x.webp"))
            let image = Image(contentsOfFile: folder.appending(path: "image@2x.webp").path)
            #expect(image?.size == CGSize(width: 20, height: 15))
            #expect(Image(named: "image@2x", in: folder)?.scale == 2)
        }

        @Test @MainActor func animatedViewsPlayWebP() async throws {
            let stand = try Stand(serving: Files.animation)
            let screen = Screen()
            let view = AnimatedImageView()
            view.renderer = screen
            view.image = try await stand.retrieve([]).image
            var shown: [[UInt8]] = []
            let end = ContinuousClock.now + .seconds(10 * ProcessStatus.slowness)
            while shown.count < 6 {
                try #require(ContinuousClock.now < end)
                view.advance()
                let samples = try #require(try view.displayedImage?.pixels?.straightSamples)
                if shown.last != samples { shown.append(samples) }
                screen.manualClock.advance(by: 0.05)
                // Waits until the frame is decoded.
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(shown == Samples.colors + Samples.colors)
        }
    }
}

/// A renderer that draws nothing, with a manual clock.
@MainActor private final class Screen: ViewRenderer {
    let manualClock = ManualAnimationClock()
    let canAnimate = true
    let display = ViewDisplay(size: CGSize(width: 24, height: 16), scaleFactor: 1, isVisible: true)

    var clock: any AnimationClock { manualClock }

    func snapshot() -> (any ViewSnapshot)? { nil }
    func viewDidChange(_ change: ViewChange) {}
    nonisolated func prepare(_ image: Image) {}
}
