import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Cancellation in every loading place.
@Suite @MainActor struct LoadingPlaceCancelTests {
    @Test(
        "Cancelling a download ends it with taskCancelled, and the placeholder stays", .behaviours("V-16"),
        arguments: LoadingPlace.allCases)
    func download(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let placeholder = try Image.blank()
        let load = await rig.hold { rig.load(placeholder: placeholder) }
        rig.cancel()
        #expect(try await load.result().failure?.isTaskCancelled == true)
        #expect(rig.image === placeholder && rig.identifier == nil)
        let stub = rig.bench.stub
        #expect(await poll { @Sendable in stub.liveTransfers == 0 })
    }

    @Test(
        "A cancelled provider ends with dataProviderCancelled", .behaviours("V-16"),
        arguments: LoadingPlace.allCases)
    func provider(place: LoadingPlace) async throws {
        let (rig, provider) = (try LoadingPlaceRig(place), PendingProvider())
        let load = rig.load(.provider(provider))
        _ = try await provider.asked.first()
        rig.cancel()
        #expect(reason(try await load.result()) == "dataProviderCancelled")
    }

    @Test(
        "Cancelling stops a load from disk before deserialising, promoting or downloading",
        .behaviours("S-6"),
        arguments: LoadingPlace.allCases)
    func disk(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let (cache, key) = (rig.bench.cache, rig.bench.url.cacheKey)
        _ = try await rig.bench.retrieve(rig.bench.url, [.waitForCache]).get()
        cache.clearMemoryCache()
        let (hold, serializer) = (Latch(), CountingSerializer())
        cache.diskQueue.run(key: key) { _ = hold.wait() }
        let load = rig.load([.cacheSerializer(serializer)])
        rig.cancel()
        #expect(load.outcomes.values.map { $0.failure?.isTaskCancelled } == [true])
        hold.open()
        try await cache.settle()
        _ = try await load.result()
        #expect(serializer.decoded == 0 && cache.retrieveImageInMemoryCache(forKey: key) == nil)
        #expect(rig.image == nil && rig.bench.stub.requests.count == 1)
    }

    /// A bench whose server has only the image of `alternative`.
    private func bench(_ alternative: URL) throws -> Bench {
        let png = try TestImages.png
        return try Bench { $0.url == alternative ? .ok(png) : StubAnswer(status: 404) }
    }

    @Test(
        "Cancelling while an alternative is loaded cancels the alternative's task", .behaviours("V-12"),
        arguments: LoadingPlace.allCases,
        [false, true])
    func alternative(place: LoadingPlace, byTask: Bool) async throws {
        let alternative = Bench.freshURL()
        let bench = try bench(alternative)
        let rig = LoadingPlaceRig(place, bench)
        let holding = AnyModifier { request in
            if request.url == alternative { bench.stub.hold() }
            return request
        }
        let load = rig.load([
            .alternativeSources([.network(alternative)]), .requestModifier(holding),
        ])
        #expect(await poll { @Sendable in bench.stub.requests.map(\.url) == [bench.url, alternative] })
        #expect(rig.identifier != nil && load.outcomes.count == 0)
        if byTask { load.task?.cancel() } else { rig.cancel() }
        guard case .failure(.requestError(.taskCancelled(let task, _))) = try await load.result() else {
            Issue.record("\(load.outcomes.values)")
            return
        }
        #expect(task.originalURL == alternative && rig.image == nil && rig.identifier == nil)
        #expect(await poll { @Sendable in bench.stub.liveTransfers == 0 })
    }

    @Test(
        "The image of an alternative is shown instead of the failure image", arguments: LoadingPlace.allCases)
    func alternativeIsShown(place: LoadingPlace) async throws {
        let alternative = Bench.freshURL()
        let bench = try bench(alternative)
        let rig = LoadingPlaceRig(place, bench)
        let result = try await rig.load([
            .alternativeSources([.network(alternative)]), .onFailureImage(try .blank()),
        ]).result().get()
        #expect(result.source.url == alternative && result.originalSource.url == bench.url)
        #expect(rig.image === result.image && rig.identifier == nil)
    }

    @Test(
        "Cancelling a place without a load has no effect",
        arguments: LoadingPlace.allCases)
    func nothingToCancel(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        rig.cancel()
        let load = rig.load()
        let image = try await load.result().get().image
        rig.cancel()
        _ = try await load.result()
        #expect(rig.image === image)
    }
}
