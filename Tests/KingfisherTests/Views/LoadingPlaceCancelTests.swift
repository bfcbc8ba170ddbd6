import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// Cancelling, in every place that takes a picture.
@Suite @MainActor struct LoadingPlaceCancelTests {
    @Test(
        "V-16: cancelling a download ends it with taskCancelled; the placeholder stays",
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

    @Test("V-16: a cancelled provider ends with dataProviderCancelled", arguments: LoadingPlace.allCases)
    func provider(place: LoadingPlace) async throws {
        let (rig, provider) = (try LoadingPlaceRig(place), SilentProvider())
        let load = rig.load(.provider(provider))
        _ = try await provider.asked.first()
        rig.cancel()
        #expect(reason(try await load.result()) == "dataProviderCancelled")
    }

    @Test(
        "S-6: cancelling stops a load from disk: nothing is deserialised, promoted or downloaded",
        arguments: LoadingPlace.allCases)
    func disk(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let (cache, key) = (rig.bench.cache, rig.bench.url.cacheKey)
        _ = try await rig.bench.retrieve(rig.bench.url, [.waitForCache]).get()
        cache.clearMemoryCache()
        let (hold, serializer) = (Latch(), CountingSerializer())
        cache.lanes.run(key: key) { _ = hold.wait() }
        let load = rig.load([.cacheSerializer(serializer)])
        rig.cancel()
        #expect(load.outcomes.values.map { $0.failure?.isTaskCancelled } == [true])
        hold.open()
        try await cache.settle()
        _ = try await load.result()
        #expect(serializer.decoded == 0 && cache.retrieveImageInMemoryCache(forKey: key) == nil)
        #expect(rig.image == nil && rig.bench.stub.requests.count == 1)
    }

    @Test(
        "Cancelling a place that waits for nothing, or no longer, does nothing",
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
