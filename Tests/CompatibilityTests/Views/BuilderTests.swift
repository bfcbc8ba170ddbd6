import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) @MainActor struct BuilderTests {
    let box: Sandbox
    let imageView = ImageView()

    init() throws {
        box = try Sandbox()
    }

    /// Loads with a builder and returns the result.
    private func show(_ builder: KF.Builder) async -> Result<RetrieveImageResult, KingfisherError> {
        await answer { done in
            builder
                .targetCache(box.cache)
                .downloader(box.downloader)
                .onSuccess { done(.success($0)) }
                .onFailure { done(.failure($0)) }
                .set(to: imageView)
        }
    }

    @Test("A builder loads with chained options")
    func chain() async throws {
        let placeholder = KFCrossPlatformImage()
        let steps = Shared<[Int64]>([])
        let result = await show(
            KF.url(box.url("Photos/rocket.jpg"))
                .placeholder(placeholder)
                .setProcessor(DownsamplingImageProcessor(size: CGSize(width: 64, height: 64)))
                .loadDiskFileSynchronously()
                .cacheMemoryOnly()
                .waitForCache()
                .fade(duration: 0.05)
                .lowDataModeSource(nil)
                .onProgress { received, total in steps.change { $0.append(total - received) } })
        #expect(try result.get().image === imageView.image && imageView.image?.size.width == 64)
        #expect(steps.value.last == 0)
        #expect(try await box.cache.diskStorageSize == 0)
    }

    @Test("A builder starts with a source, a resource, a provider or data")
    func beginnings() async throws {
        let bytes = try Fixtures.data(named: "PNG/rgb8.png")
        let url = box.url("PNG/rgb8.png")
        let chains = [
            KF.source(.network(url)), KF.resource(ImageResource(downloadURL: url, cacheKey: "mine")),
            KF.url(url, cacheKey: "other"), KF.data(bytes, cacheKey: "data"),
            KF.dataProvider(RawImageDataProvider(data: bytes, cacheKey: "raw")),
        ]
        var keys: [String] = []
        for chain in chains { keys.append(try await show(chain).get().source.cacheKey) }
        #expect(keys == [url.cacheKey, "mine", "other", "data", "raw"])
        let nothing = await show(KF.url(nil))
        guard case .failure(.imageSettingError(reason: .emptySource)) = nothing else {
            Issue.record("\(nothing)")
            return
        }
    }

    @Test("A builder chains processors")
    func processors() async throws {
        let chain = KF.url(box.url("Photos/astronaut.jpg"))
            .downsampling(size: CGSize(width: 128, height: 128))
            .resizing(referenceSize: CGSize(width: 64, height: 64), mode: .aspectFill)
            .cropping(size: CGSize(width: 32, height: 32))
            .roundCorner(radius: .point(4), roundingCorners: [.topLeft])
            .blur(radius: 2)
            .overlay(color: .yellow, fraction: 0.9)
            .tint(color: .white.withAlphaComponent(0.1))
            .blackWhite()
            .appendProcessor(DefaultImageProcessor.default)
        #expect(chain.options.processor.identifier.components(separatedBy: "|>").count >= 8)
        let image = try await show(chain).get().image
        #expect(image.size == CGSize(width: 32, height: 32))
        let pixel = try #require(image.pixels?.converted(to: .rgba8Straight).samples(x: 16, y: 16))
        #expect(abs(pixel[0] - pixel[1]) <= 1 && abs(pixel[1] - pixel[2]) <= 1)

        let both = KF.url(box.url("Photos/astronaut.jpg"))
            .setProcessors([
                CroppingImageProcessor(size: CGSize(width: 10, height: 20)),
                BlurImageProcessor(blurRadius: 1),
            ])
        #expect(try await show(both).get().image.size == CGSize(width: 10, height: 20))
    }

    @Test("A builder modifies requests, follows redirects and retries")
    func network() async throws {
        let seen = Shared<[Int]>([])
        let chain = KF.url(box.url("moved/members/PNG/rgb8.png"))
            .requestModifier { $0.setValue("open sesame", forHTTPHeaderField: "X-Token") }
            .redirectHandler { payload in
                seen.change { $0.append(payload.response.statusCode) }
                payload.completionHandler(payload.newRequest)
            }
            .downloadPriority(1)
            .retry(maxCount: 2, interval: .seconds(0))
        #expect(try await show(chain).get().image.size.width == 33 && seen.value == [302])
        let flaky = KF.url(box.url("flaky/PNG/rgb8.png"))
            .retry(DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0)))
        #expect(try await show(flaky).get().cacheType == .none)
        let other = KF.url(box.url("missing.png"))
            .alternativeSources([.network(box.url("PNG/gray8.png"))])
            .requestModifier(AnyModifier { $0 })
            .redirectHandler(AnyRedirectHandler { _, _, request, done in done(request) })
        #expect(try await show(other).get().source.url == box.url("PNG/gray8.png"))
    }

    @Test("A builder sets the caching options")
    func caching() async throws {
        let originals = try box.anotherCache("originals")
        let url = box.url("Photos/rocket.jpg")
        let chain = KF.url(url)
            .originalCache(originals)
            .cacheOriginalImage()
            .downsampling(size: CGSize(width: 20, height: 20))
            .serialize(as: .PNG)
            .memoryCacheExpiration(.expired)
            .memoryCacheAccessExtending(.cacheTime)
            .diskCacheExpiration(.days(1))
            .diskCacheAccessExtending(.none)
            .diskStoreWriteOptions(.atomic)
            .waitForCache()
        _ = try await show(chain).get()
        let identifier = chain.options.processor.identifier
        let file = try #require(
            box.cache.cacheFileURLIfOnDisk(forKey: url.cacheKey, processorIdentifier: identifier))
        #expect(try Data(contentsOf: file).kf.imageFormat == .PNG)
        #expect(box.cache.imageCachedType(forKey: url.cacheKey, processorIdentifier: identifier) == .disk)
        #expect(originals.imageCachedType(forKey: url.cacheKey) == .disk)
        let jpeg = KF.url(url).forceRefresh().serialize(as: .JPEG, jpegCompressionQuality: 0.1).waitForCache()
        _ = try await show(jpeg).get()
        let small = try #require(box.cache.cacheFileURLIfOnDisk(forKey: url.cacheKey))
        #expect(try Data(contentsOf: small).count < 29_620)
        _ = KF.url(url).serialize(by: FormatIndicatedCacheSerializer.gif)
    }

    @Test("A builder sets the display options")
    func showing() async throws {
        let sorry = KFCrossPlatformImage()
        let failed = await show(
            KF.url(box.url("missing.png")).onFailureImage(sorry).keepCurrentImageWhileLoading())
        #expect(throws: KingfisherError.self) { try failed.get() }
        #expect(imageView.image === sorry)
        let chain = KF.url(box.url("Photos/cat.gif"))
            .onlyLoadFirstFrame()
            .transition(.flipFromLeft(0.05))
            .forceTransition()
            .backgroundDecode()
            .scaleFactor(2)
            .callbackQueue(.mainAsync)
            .processingQueue(.dispatch(.global()))
            .imageModifier { $0 = $0.withRenderingMode(.alwaysTemplate) }
        #expect(try await show(chain).get().image.images == nil)
        #expect(imageView.image?.size == CGSize(width: 80, height: 60))
        #expect(imageView.image?.renderingMode == .alwaysTemplate)
        let offline = await show(KF.url(box.url("JPEG/444.jpg")).onlyFromCache().fromMemoryCacheOrRefresh())
        #expect(throws: KingfisherError.self) { try offline.get() }
        let progressive = KF.url(box.url("Progressive/small.jpg")).progressiveJPEG()
            .imageModifier(RenderingModeImageModifier(renderingMode: .alwaysOriginal))
        #expect(try await show(progressive).get().image.renderingMode == .alwaysOriginal)
    }

    @Test("A builder shows a placeholder view while loading")
    func placeholderView() async throws {
        final class PlaceholderView: KFCrossPlatformView, Placeholder {}
        let placeholder = PlaceholderView()
        let result = await answer { (done: @escaping @Sendable (KingfisherError) -> Void) in
            KF.url(box.url("missing.png"))
                .placeholder(placeholder)
                .targetCache(box.cache)
                .onFailure { done($0) }
                .set(to: imageView)
        }
        #expect(result.isInvalidResponseStatusCode(404) && placeholder.superview === imageView)
    }

    @Test("A builder loads into a button and a text attachment")
    func otherViews() async throws {
        let (button, attachment) = (Button(), TextAttachment())
        let url = box.url("PNG/rgb8.png")
        KF.url(url).targetCache(box.cache).set(to: button, for: .normal)
        KF.url(url).targetCache(box.cache).setBackground(to: button, for: .highlighted)
        KF.url(url).targetCache(box.cache).setAlternative(to: button)
        KF.url(url).targetCache(box.cache).set(to: attachment, attributedView: imageView)
        #expect(
            await poll {
                button.image(for: .normal) != nil && button.backgroundImage(for: .highlighted) != nil
                    && button.alternateImage != nil && attachment.image != nil
            })
        let plain = Button()
        KF.url(url).targetCache(box.cache).set(to: plain)
        #expect(await poll { plain.image != nil })
    }
}
