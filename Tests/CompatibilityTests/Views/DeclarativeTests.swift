import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// The application's own view, in place of SwiftUI's `ProgressView`.
private final class ProgressBar: KFCrossPlatformView {
    let fraction: Double

    init(_ progress: Progress) {
        fraction = progress.fractionCompleted
    }
}

/// Chains written for the SwiftUI view of the original; only the views in closures are ours.
@Suite(.timeLimit(.minutes(1))) @MainActor struct DeclarativeTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    /// Shows a value in a window, and returns the view and the result.
    private func show<Value: KFImageProtocol>(
        _ image: Value
    ) async -> (view: Value.HoldingView, result: Result<RetrieveImageResult, KingfisherError>) {
        let window = TestWindow()
        var shown: Value.HoldingView?
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            let view = image.targetCache(box.cache).downloader(box.downloader)
                .onSuccess { done(.success($0)) }.onFailure { done(.failure($0)) }.makeView()
            window.show(view)
            shown = view
        }
        return (shown ?? Value.makeHoldingView(), result)
    }

    @Test("The chain of the original's documentation loads an image")
    func chain() async throws {
        let url = box.url("Photos/rocket.jpg")
        let image = KFImage(url)
            .placeholder { progress in ProgressBar(progress) }
            .setProcessor(DownsamplingImageProcessor(size: CGSize(width: 64, height: 64)))
            .loadDiskFileSynchronously()
            .cacheMemoryOnly()
            .retry(maxCount: 3, interval: .seconds(5))
            .onProgress { receivedSize, totalSize in print(receivedSize, totalSize, separator: "/") }
            .onSuccess { r in print(r.cacheType) }
            .onFailure { e in print(e) }
            .fade(duration: 0)
            .forceTransition()
            .resizable()
            .cancelOnDisappear(true)
            .scaledToFit()
        let (view, result) = await show(image)
        #expect(try result.get().image === view.image && view.image?.size.width == 64)
        #expect(view.contentMode == .scaleAspectFit)
    }

    @Test("Values start with a source, a resource, a provider or data")
    func beginnings() async throws {
        let bytes = try Fixtures.data(named: "PNG/rgb8.png")
        let url = box.url("PNG/rgb8.png")
        let images = [
            KFImage(url), KFImage(source: .network(url)), KFImage.source(.network(url)),
            KFImage.resource(ImageResource(downloadURL: url, cacheKey: "mine")),
            KFImage.url(url, cacheKey: "other"), KFImage.data(bytes, cacheKey: "data"),
            KFImage.dataProvider(RawImageDataProvider(data: bytes, cacheKey: "raw")),
        ]
        var keys: [String] = []
        for image in images { keys.append(try await show(image).result.get().source.cacheKey) }
        #expect(keys == [url.cacheKey, url.cacheKey, url.cacheKey, "mine", "other", "data", "raw"])
    }

    @Test("A failure view is shown after a failed load")
    func failureView() async throws {
        let failed = KFCrossPlatformView()
        let image = KFImage(box.url("missing.png"))
            .placeholder { KFCrossPlatformView() }
            .onFailureView { failed }
            .onFailureImage(KFCrossPlatformImage())
            .reducePriorityOnDisappear(true)
            .startLoadingBeforeViewAppear()
        let (view, result) = await show(image)
        #expect(throws: KingfisherError.self) { try result.get() }
        #expect(failed.isDescendant(of: view) && view.image == nil)
    }

    @Test("A KFAnimatedImage configures its view and plays")
    func animated() async throws {
        let image = KFAnimatedImage(box.url("Photos/cat.gif"))
            .configure { view in view.framePreloadCount = 3 }
            .loadTransition(.fade(0))
            .onlyFromCache(false)
        let (view, result) = await show(image)
        #expect(try result.get().image === view.image)
        #expect(view.framePreloadCount == 3 && view.isAnimating)
    }
}
