import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing
@testable import Kingfisher

/// A load with `.lowResolution(source)`.
@Suite @MainActor struct LowResolutionTests {
    let rig: LoadingPlaceRig
    let high: GatedProvider
    let low: GatedProvider

    init() throws {
        try self.init(.imageView)
    }

    private init(_ place: LoadingPlace) throws {
        rig = try LoadingPlaceRig(place)
        high = GatedProvider(cacheKey: "high", gate: .init(), data: try TestImages.png)
        low = GatedProvider(cacheKey: "low", gate: .init(), data: try Self.lowData)
    }

    /// 8 x 5 pixels.
    static var lowData: Data {
        get throws {
            let image = try TestImages.image.kf.resize(to: CGSize(width: 8, height: 5))
            return try #require(image.kf.pngRepresentation())
        }
    }

    static let lowSize = CGSize(width: 8, height: 5)

    private func load(placeholder: Image? = nil, _ extra: KingfisherOptionsInfo = []) -> LoadingPlaceRig.Load
    {
        rig.load(.provider(high), placeholder: placeholder, [.lowResolution(.provider(low))] + extra)
    }

    private func showLow() async {
        low.gate.open()
        #expect(await poll { rig.image?.size == Self.lowSize })
    }

    @Test(
        "The low image replaces the placeholder, the full one the low one, and only that completes the load",
        arguments: LoadingPlace.allCases)
    func order(place: LoadingPlace) async throws {
        let test = try LowResolutionTests(place)
        let placeholder = try Image.blank()
        let load = test.load(placeholder: placeholder)
        #expect(test.rig.image === placeholder)
        await test.showLow()
        #expect(load.outcomes.count == 0 && test.rig.identifier != nil)
        test.high.gate.open()
        let result = try await load.result().get()
        #expect(test.rig.image === result.image && result.image.size == TestImages.pngSize)
        #expect(result.source == .provider(test.high) && result.originalSource == .provider(test.high))
    }

    @Test("A low image that arrives after the full one is cancelled and never shown")
    func lateLow() async throws {
        let load = load()
        _ = try await low.gate.insertions.first()
        high.gate.open()
        let image = try await load.result().get().image
        _ = try await low.gate.cancellations.first()
        await passMainQueue()
        #expect(rig.image === image)
    }

    @Test("A failed low source is ignored: no completion, no retry, no alternative")
    func failedLow() async throws {
        let strategy = ScriptedStrategy(deciding: { _ in .stop })
        let (failing, placeholder) = (UnreadableProvider(), try Image.blank())
        let load = rig.load(
            .provider(high), placeholder: placeholder,
            [
                .lowResolution(.provider(failing)), .retryStrategy(strategy),
                .alternativeSources([.provider(low)]),
            ])
        _ = try await high.gate.insertions.first()
        await passMainQueue()
        #expect(load.outcomes.count == 0 && rig.image === placeholder && low.gate.insertions.count == 0)
        high.gate.open()
        #expect(try await load.result().get().image.size == TestImages.pngSize)
        #expect(strategy.questions.count == 0)
    }

    @Test(
        "After a failure of the full image the low one stays, unless there is a failure image",
        arguments: LoadingPlace.allCases, [false, true])
    func failedFull(place: LoadingPlace, hasFailureImage: Bool) async throws {
        let test = try LowResolutionTests(place)
        let full = GatedProvider(cacheKey: "none", gate: .init())
        let failureImage = try Image.blank()
        let load = test.rig.load(
            .provider(full), placeholder: try .blank(),
            [.lowResolution(.provider(test.low))] + (hasFailureImage ? [.onFailureImage(failureImage)] : []))
        await test.showLow()
        let shown = test.rig.image
        full.gate.open()
        #expect(reason(try await load.result()) == "dataProviderError")
        #expect(test.rig.image === (hasFailureImage ? failureImage : shown))
    }

    @Test("An image that is kept while loading stays, and the low source is not loaded")
    func keptImage() async throws {
        let old = try Image.blank()
        rig.image = old
        let load = load([.keepCurrentImageWhileLoading])
        _ = try await high.gate.insertions.first()
        #expect(rig.image === old && low.gate.insertions.count == 0)
        high.gate.open()
        #expect(try await load.result().get().image === rig.image)
        #expect(low.gate.insertions.count == 0)
    }

    @Test("With an empty view, keepCurrentImageWhileLoading shows the low image as it shows a placeholder")
    func nothingKept() async throws {
        let load = load([.keepCurrentImageWhileLoading])
        await showLow()
        high.gate.open()
        #expect(try await load.result().get().image === rig.image)
    }

    @Test("The low source is not loaded if a cache has the image", arguments: [CacheType.memory, .disk])
    func cachedFull(type: CacheType) async throws {
        high.gate.open()
        _ = try await rig.bench.retrieve(.provider(high), [.waitForCache]).get()
        if type == .disk { rig.bench.cache.clearMemoryCache() }
        let load = load()
        #expect(try await load.result().get().cacheType == type)
        #expect(low.gate.insertions.count == 0)
    }

    @Test("A low image in memory is shown before the call returns, and the low source is not loaded")
    func cachedLow() async throws {
        low.gate.open()
        let cached = try await rig.bench.retrieve(.provider(low)).get().image
        let load = load(placeholder: try .blank())
        #expect(rig.image === cached)
        high.gate.open()
        #expect(try await load.result().get().image === rig.image)
        #expect(low.gate.insertions.count == 1)
    }

    @Test("Cancelling the load cancels both sources, and the low image is not shown afterwards")
    func cancelled() async throws {
        let placeholder = try Image.blank()
        let load = load(placeholder: placeholder)
        _ = try await (low.gate.insertions.first(), high.gate.insertions.first())
        rig.cancel()
        _ = try await (low.gate.cancellations.first(), high.gate.cancellations.first())
        #expect(reason(try await load.result()) == "dataProviderCancelled")
        #expect(rig.image === placeholder)
    }

    @Test("Cancelling the returned task cancels both sources")
    func cancelledTask() async throws {
        let load = load()
        _ = try await (low.gate.insertions.first(), high.gate.insertions.first())
        load.task?.cancel()
        _ = try await (low.gate.cancellations.first(), high.gate.cancellations.first())
        _ = try await load.result()
        #expect(rig.image == nil)
    }

    @Test("Another load, and prepareForReuse, end the low source of the first", arguments: [false, true])
    func reused(isEmptied: Bool) async throws {
        let load = load()
        _ = try await low.gate.insertions.first()
        if isEmptied {
            rig.imageView.kf.prepareForReuse()
        } else {
            _ = rig.load(nil as Source?)
        }
        _ = try await low.gate.cancellations.first()
        high.gate.open()
        _ = try await load.result()
        #expect(rig.image == nil)
    }

    @Test("The image modifier applies to both images")
    func modified() async throws {
        let modifier = AnyImageModifier { image in image.kf.scaled(to: 2) }
        let load = load([.imageModifier(modifier)])
        low.gate.open()
        #expect(await poll { rig.image?.size == CGSize(width: 4, height: 2.5) })
        high.gate.open()
        #expect(try await load.result().get().image.scale == 2)
    }

    @Test("Sources that end at the same time complete the load once, with the full image on screen")
    func race() async throws {
        for round in 0..<60 {
            let high = GatedProvider(cacheKey: "high \(round)", gate: .init(), data: try TestImages.png)
            let low = GatedProvider(cacheKey: "low \(round)", gate: .init(), data: try Self.lowData)
            let load = rig.load(.provider(high), [.lowResolution(.provider(low))])
            _ = try await (low.gate.insertions.first(), high.gate.insertions.first())
            await withTaskGroup(of: Void.self) { group in
                group.addTask { low.gate.open() }
                group.addTask { high.gate.open() }
                if round % 3 == 2 { group.addTask { load.task?.cancel() } }
            }
            let result = try await load.result()
            if let image = try? result.get().image { #expect(rig.image === image) }
            #expect(load.outcomes.count == 1)
            rig.image = nil
        }
    }

    @Test("The full image crossfades in from the low one, also from the disk", arguments: [false, true])
    func crossfade(isOnDisk: Bool) async throws {
        let renderer = RecordingRenderer()
        rig.imageView.renderer = renderer
        low.gate.open()
        let cached = try await rig.bench.retrieve(.provider(low)).get().image
        high.gate.open()
        if isOnDisk {
            _ = try await rig.bench.retrieve(.provider(high), [.waitForCache]).get()
            rig.bench.cache.memoryStorage.remove(forKey: "high")
        }
        let load = load()
        _ = try await renderer.animations.first()
        let transition = try #require(rig.imageView.runningTransition)
        #expect(transition.originImage === cached && transition.effect == .crossDissolve)
        #expect(transition.duration == 0.25)
        renderer.advance(rig.imageView, by: 0.25)
        #expect(try await load.result().get().cacheType == (isOnDisk ? .disk : .none))
    }
}
