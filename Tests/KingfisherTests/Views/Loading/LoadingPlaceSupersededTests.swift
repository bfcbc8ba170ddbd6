import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Several loads of one place, in every loading place.
@Suite @MainActor struct LoadingPlaceSupersededTests {
    @Test(
        "A new load does not stop the old download, whose completion has its own outcome",
        .behaviours("V-4"),
        arguments: LoadingPlace.allCases)
    func newLoad(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let other = try Bench(serving: TestImages.jpeg)
        other.stub.hold()
        let old = await rig.hold { rig.load() }
        let new = rig.load(Bench.freshURL(), [.downloader(other.downloader)])
        rig.bench.stub.release()
        let superseded = try #require(try await old.result().superseded)
        #expect(superseded.result?.image.size == TestImages.pngSize && superseded.error == nil)
        #expect(superseded.source == .network(rig.bench.url))
        #expect(rig.image == nil && rig.identifier != nil)
        #expect(rig.bench.cache.isCached(forKey: rig.bench.url.cacheKey))
        other.stub.release()
        let image = try await new.result().get().image
        #expect(rig.image === image && superseded.result?.image !== image)
    }

    @Test(
        "A superseded load that fails reports its error and does not show its failure image",
        .behaviours("V-4"),
        arguments: LoadingPlace.allCases)
    func oldFails(place: LoadingPlace) async throws {
        let rig = LoadingPlaceRig(place, try Bench { _ in StubAnswer(status: 404) })
        let old = await rig.hold { rig.load([.onFailureImage(nil)]) }
        let provider = RawImageDataProvider(data: try TestImages.png, cacheKey: "raw")
        let image = try await rig.load(.provider(provider)).result().get().image
        rig.bench.stub.release()
        let superseded = try #require(try await old.result().superseded)
        #expect(superseded.result == nil && superseded.error?.isInvalidResponseStatusCode(404) == true)
        #expect(rig.image === image)
    }

    @Test(
        "100 concurrent loads of one place complete once each, and only the last is shown",
        .behaviours("V-4"),
        arguments: [
            LoadingPlace.imageView, .settable, .attachment, .alternate, .image(.normal),
            .background(.selected),
        ])
    func hundredLoads(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        var loads: [LoadingPlaceRig.Load] = []
        for _ in 0..<100 { loads.append(await rig.hold { rig.load(Bench.freshURL()) }) }
        rig.bench.stub.release()
        for load in loads.dropLast() {
            #expect(try await load.result().superseded?.result != nil)
        }
        let image = try await loads[99].result().get().image
        #expect(rig.image === image && rig.bench.stub.requests.count == 100)
        #expect(loads.allSatisfy { $0.outcomes.count == 1 })
    }

    @Test(
        "Three cancelled loads are three failures", .behaviours("V-5"), arguments: LoadingPlace.allCases
    )
    func threeCancelled(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        var loads: [LoadingPlaceRig.Load] = []
        for _ in 0..<3 { loads.append(await rig.hold { rig.load(Bench.freshURL()) }) }
        for load in loads { load.task?.cancel() }
        for load in loads.dropLast() {
            #expect(try await load.result().superseded?.error?.isTaskCancelled == true)
        }
        #expect(try await loads[2].result().failure?.isTaskCancelled == true)
        #expect(rig.image == nil)
    }

    @Test(
        "With another processor for one URL the first load is superseded and the second gets its size",
        .behaviours("V-10"),
        arguments: LoadingPlace.allCases)
    func otherProcessor(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        func resized(_ side: CGFloat) -> KingfisherOptionsInfo {
            [.processor(ResizingImageProcessor(referenceSize: CGSize(width: side, height: side)))]
        }
        let first = await rig.hold { rig.load(resized(8)) }
        let second = await rig.hold { rig.load(resized(12)) }
        rig.bench.stub.release()
        #expect(try await first.result().failure?.isNotCurrentTask == true)
        let image = try await second.result().get().image
        #expect(image.size == CGSize(width: 12, height: 12) && rig.image === image)
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("A superseded load reports no progress", .behaviours("V-17"), arguments: LoadingPlace.allCases)
    func progress(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let (old, new) = (Inbox<Void>(), Inbox<Void>())
        let first = await rig.hold { rig.load(progress: { _, _ in old.put() }) }
        let second = rig.load(Bench.freshURL(), progress: { _, _ in new.put() })
        rig.bench.stub.release()
        #expect(try await first.result().superseded?.result != nil)
        _ = try await second.result().get()
        #expect(old.count == 0 && new.count > 0)
    }

    @Test(
        "Of two loads from disk only the second is deserialised and promoted", .behaviours("S-6"),
        arguments: LoadingPlace.allCases)
    func fromDisk(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let (cache, first, second) = (rig.bench.cache, rig.bench.url, Bench.freshURL())
        for url in [first, second] { _ = try await rig.bench.retrieve(url, [.waitForCache]).get() }
        cache.clearMemoryCache()
        let (hold, old, new) = (Latch(), CountingSerializer(), CountingSerializer())
        cache.diskQueue.run(key: first.cacheKey) { _ = hold.wait() }
        let loads = [rig.load(first, [.cacheSerializer(old)]), rig.load(second, [.cacheSerializer(new)])]
        hold.open()
        let superseded = try #require(try await loads[0].result().superseded)
        #expect(superseded.result == nil && superseded.error?.reasonName == "imageNotExisting")
        #expect(try await loads[1].result().get().cacheType == .disk)
        #expect((old.decoded, new.decoded) == (0, 1))
        #expect(cache.retrieveImageInMemoryCache(forKey: first.cacheKey) == nil)
        #expect(cache.retrieveImageInMemoryCache(forKey: second.cacheKey) === rig.image)
        #expect(rig.bench.stub.requests.count == 2)
    }
}
