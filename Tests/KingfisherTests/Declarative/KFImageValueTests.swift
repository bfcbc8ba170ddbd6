import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// `KFImage` and `KFAnimatedImage` as values.
@Suite @MainActor struct KFImageValueTests {
    let rig: KFImageRig

    init() throws { rig = try KFImageRig() }

    @Test("Modifiers of options return a copy and leave the value unchanged")
    func optionCopies() throws {
        let plain = KFImage(rig.bench.url)
        let changed = plain.scaleFactor(2).blur(radius: 3).fade(duration: 1).onlyLoadFirstFrame()
            .keepCurrentImageWhileLoading().decodesToViewSize().retry(maxCount: 3)
        #expect(changed.options.scaleFactor == 2 && changed.options.transition.duration == 1)
        #expect(changed.options.processor.identifier.contains("Blur"))
        #expect(changed.options.onlyLoadFirstFrame && changed.options.keepCurrentImageWhileLoading)
        #expect(changed.options.decodesToViewSize && changed.options.retryStrategy != nil)
        #expect(plain.options.scaleFactor == 1 && plain.options.transition.duration == 0)
        #expect(plain.options.processor.identifier.isEmpty && !plain.options.onlyLoadFirstFrame)
        #expect(!plain.options.decodesToViewSize && plain.options.retryStrategy == nil)
    }

    @Test("Handlers belong to the copy, which holds them after the value is gone")
    func handlerCopies() async throws {
        let calls = Inbox<String>()
        func chained() -> KFImage {
            let first = rig.image().onSuccess { _ in calls.put("first") }
            #expect(first.onSuccessDelegate.isSet && !KFImage(rig.bench.url).onSuccessDelegate.isSet)
            _ = first.onSuccess { _ in calls.put("other") }
            return first.scaleFactor(2).resizable().onProgress { _, _ in }
        }
        let copy = chained()
        #expect(copy.onProgressDelegate.isSet && copy.onFailureDelegate.isSet)
        let view = rig.show(copy)
        #expect(try await calls.first() == "first")
        #expect(view.image != nil)
        await passMainQueue()
        #expect(calls.values == ["first"])
    }

    @Test("Setting options directly changes the copies of one value, but no modified copy")
    func sharedOptions() {
        let (value, modified) = (KFImage(rig.bench.url), KFImage(rig.bench.url).forceRefresh())
        let same = value
        value.options.scaleFactor = 3
        #expect(same.options.scaleFactor == 3 && modified.options.scaleFactor == 1)
    }

    @Test("A value is made of a URL, a source, a resource, a provider or data")
    func creating() {
        let url = rig.bench.url
        let provider = RawImageDataProvider(data: Data(), cacheKey: "raw")
        let values = [
            KFImage(url), .url(url, cacheKey: "mine"), KFImage(source: .network(url)), .source(.network(url)),
            .resource(ImageResource(downloadURL: url, cacheKey: "resource")), .dataProvider(provider),
            .data(Data(), cacheKey: "data"),
        ]
        #expect(
            values.map { $0.context.source?.cacheKey }
                == [
                    url.cacheKey, "mine", url.cacheKey, url.cacheKey, "resource", "raw", "data",
                ])
        #expect(KFImage(nil).context.source == nil && KFImage.data(nil, cacheKey: "x").context.source == nil)
        #expect(KFAnimatedImage.url(url).context.source?.url == url)
    }

    @Test(
        "Without resizable() the image has its natural size; a resizable one is stretched, fitted or cropped")
    func contentModes() {
        let plain = rig.image()
        let expected: [(KFImage, ViewContentMode)] = [
            (plain, .center), (plain.scaledToFit(), .center), (plain.resizable(), .scaleToFill),
            (plain.resizable().scaledToFit(), .scaleAspectFit),
            (plain.scaledToFill().resizable(), .scaleAspectFill),
        ]
        for (value, mode) in expected { #expect(value.makeView().contentMode == mode) }
    }

    @Test("An animated image is always resizable and plays in an AnimatedImageView")
    func animated() async throws {
        let rig = KFImageRig(try Bench(serving: TestImages.gif))
        let value = rig.connected(KFAnimatedImage(rig.bench.url)).configure { $0.repeatCount = .once }
        let view = rig.show(value)
        #expect(view.contentMode == .scaleToFill && view.repeatCount == .once)
        #expect(value.scaledToFit().makeView().contentMode == .scaleAspectFit)
        _ = try await rig.outcome().get()
        #expect(view.isAnimating && view.animator != nil)
    }

    @Test("decodesToViewSize() reduces a resizable image to its view, and not one of natural size")
    func viewSize() async throws {
        let photo = try Fixtures.data(named: "Photos/astronaut.jpg")
        let full = try #require(Image(data: photo)?.size.width)
        for (isResizable, width) in [(true, 100), (false, full)] {
            let rig = KFImageRig(try Bench(serving: photo))
            let value = rig.image().decodesToViewSize()
            let view = rig.show(isResizable ? value.resizable() : value)
            #expect(try await rig.outcome().get().image.size.width == width)
            #expect(view.image?.size.width == width)
        }
    }
}
