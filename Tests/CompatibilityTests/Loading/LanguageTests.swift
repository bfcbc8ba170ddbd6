import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Retries three times and counts in an object that is not Sendable.
private struct ThreeRetriesStrategy: RetryStrategy {
    private final class Tries {
        var count = 0
    }

    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        let tries = context.userInfo as? Tries ?? Tries()
        tries.count += 1
        // Later strategies receive this value.
        context.retriedCount += 10
        retryHandler(tries.count < 3 ? .retry(userInfo: tries) : .stop)
    }
}

/// Language features that programs in Swift 6 mode use with the library.
@Suite(.timeLimit(.minutes(1))) struct LanguageTests {
    let box: Sandbox

    init() throws { box = try Sandbox() }

    @Test("A progress block of a callback may change a local variable")
    func progressInVariables() async throws {
        let url = box.url("Photos/hubble.jpg")
        let size = Int64(try Fixtures.data(named: "Photos/hubble.jpg").count)
        var (managers, downloaders) = (Int64(0), Int64(0))
        let retrieved: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            box.manager.retrieveImage(
                with: url, progressBlock: { received, _ in managers = received }, completionHandler: done)
        }
        let loaded: Result<ImageLoadingResult, KingfisherError> = await answer { done in
            box.downloader.downloadImage(
                with: url, options: [.callbackQueue(.mainAsync)],
                progressBlock: { received, _ in downloaders = received }, completionHandler: done)
        }
        #expect((try? retrieved.get()) != nil && (try? loaded.get()) != nil)
        #expect(managers == size && downloaders == size)
    }

    @Test("A progress block of a view or a builder may change a local variable")
    @MainActor func progressOfViews() async throws {
        let (url, view) = (box.url("Photos/hubble.jpg"), KFCrossPlatformImageView())
        var (views, builders) = (Int64(0), Int64(0))
        let block: DownloadProgressBlock = { received, _ in views = received }
        let _: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            view.kf.setImage(with: url, options: box.options, progressBlock: block, completionHandler: done)
        }
        await withCheckedContinuation { done in
            KF.url(url).targetCache(box.cache).downloader(box.downloader).forceRefresh()
                .onProgress { received, _ in builders = received }
                .onSuccess { _ in done.resume() }
                .onFailure { _ in done.resume() }
                .set(to: view)
        }
        #expect(views > 0 && views == builders)
    }

    @Test("A retry strategy may hold values that are not Sendable")
    func retryContext() async throws {
        await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(
                with: box.url("missing/no.png"), options: [.retryStrategy(ThreeRetriesStrategy())])
        }
        #expect(box.server.requestCount("/missing/no.png") == 3)
    }

    @Test("Views are hashable")
    @MainActor func hashableViews() {
        let (one, other) = (KFCrossPlatformImageView(), KFCrossPlatformImageView())
        let sizes: [KFCrossPlatformView: Int] = [one: 1, other: 2]
        #expect(sizes[one] == 1 && one != other && Set([one, other, one]).count == 2)
    }

    @Test("Properties can be set after initialisation")
    func settable() throws {
        var progressive = ImageProgressive.default
        (progressive.isBlur, progressive.isFastestScan, progressive.scanInterval) = (false, false, 0.5)
        #expect(!progressive.isBlur && progressive.scanInterval == 0.5)
        let data = try Fixtures.data(named: "GIF/delays.gif")
        var raw = RawImageDataProvider(data: data, cacheKey: "a")
        var text = Base64ImageDataProvider(base64String: data.base64EncodedString(), cacheKey: "a")
        var file = LocalFileImageDataProvider(fileURL: box.place("a.png"))
        (raw.cacheKey, text.cacheKey, file.cacheKey) = ("b", "b", "b")
        #expect([raw.cacheKey, text.cacheKey, file.cacheKey] == ["b", "b", "b"])
        let image = try #require(KingfisherWrapper<Image>.image(data: data, options: ImageCreatingOptions()))
        #expect(image.kf.imageSource?.frameCount == image.kf.imageFrameCount)
        image.kf.imageFrameCount = 1
        #expect(image.kf.imageFrameCount == 1)
    }

    @Test("Names of Apple's platforms compile")
    @MainActor func names() async throws {
        let insets = UIEdgeInsets(top: 1, left: 2, bottom: 3, right: 4)
        #expect(AlignmentRectInsetsImageModifier(alignmentInsets: insets).alignmentInsets == insets)
        let states: [UIControl.State] = [.normal, .highlighted, [.selected, .focused]]
        let button = KFCrossPlatformButton()
        for state in states { #expect(button.kf.taskIdentifier(for: state) == nil) }
        let photo: RetrieveLivePhotoResult = try await box.manager.retrieveLivePhoto(
            with: LivePhotoSource(urls: [box.url("PNG/rgb8.png")]))
        #expect(photo.fileURLs.count == 1)
    }
}
