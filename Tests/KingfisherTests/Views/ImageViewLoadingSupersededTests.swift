import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

@Suite @MainActor struct ImageViewLoadingSupersededTests {
    let rig: ImageViewLoadingRig
    var view: ImageView { rig.view }

    init() throws { rig = try ImageViewLoadingRig() }

    @Test("V-4: a new load lets the old download go on, and the old completion carries its own outcome")
    func newLoadTakesOver() async throws {
        let other = try Bench(serving: Pictures.jpeg)
        other.stub.hold()
        let old = await rig.hold { rig.load() }
        let new = rig.load(Bench.freshURL(), [.downloader(other.downloader)])
        rig.bench.stub.release()
        let superseded = try #require(try await old.result().superseded)
        #expect(superseded.result?.image.size == Pictures.pngSize && superseded.error == nil)
        #expect(superseded.source == .network(rig.bench.url))
        #expect(view.image == nil)
        #expect(rig.bench.cache.isCached(forKey: rig.bench.url.cacheKey))
        other.stub.release()
        let image = try await new.result().get().image
        #expect(view.image === image && superseded.result?.image !== image)
    }

    @Test("V-4: so it is when the old download ends last")
    func oldEndsLast() async throws {
        let other = try Bench(serving: Pictures.jpeg)
        let old = await rig.hold { rig.load() }
        let image = try await rig.load([.downloader(other.downloader), .forceRefresh]).result().get().image
        #expect(view.image === image)
        rig.bench.stub.release()
        #expect(try await old.result().superseded?.result?.image.size == Pictures.pngSize)
        #expect(view.image === image)
    }

    @Test("V-4: an old load that fails carries its error")
    func oldFails() async throws {
        let rig = ImageViewLoadingRig(try Bench { _ in StubAnswer(status: 404) })
        let old = await rig.hold { rig.load() }
        let new = rig.load(.provider(RawImageDataProvider(data: try Pictures.png, cacheKey: "raw")))
        _ = try await new.result().get()
        rig.bench.stub.release()
        let superseded = try #require(try await old.result().superseded)
        #expect(superseded.result == nil && superseded.error?.isInvalidResponseStatusCode(404) == true)
        #expect(rig.view.image?.size == Pictures.pngSize)
    }

    @Test("V-4: a load without a source takes over, too")
    func nothingTakesOver() async throws {
        let old = await rig.hold { rig.load() }
        #expect(reason(try await rig.load(nil as Source?).result()) == "emptySource")
        rig.bench.stub.release()
        #expect(try await old.result().superseded?.result != nil)
        #expect(view.image == nil)
    }

    @Test("V-4: of many loads of one view each completes once, and the last is shown")
    func many() async throws {
        let urls = (0..<20).map { _ in Bench.freshURL() }
        let loads = urls.map { rig.load($0) }
        for load in loads.dropLast() { #expect(try await load.result().superseded != nil) }
        let last = try await loads[19].result().get()
        #expect(last.source.url == urls[19] && view.image === last.image)
    }

    @Test("V-10: one URL, another processor: the first is not current, the second gets its size")
    func otherProcessor() async throws {
        func resized(_ side: CGFloat) -> KingfisherOptionsInfo {
            [.processor(ResizingImageProcessor(referenceSize: CGSize(width: side, height: side)))]
        }
        let first = await rig.hold { rig.load(resized(8)) }
        let second = await rig.hold { rig.load(resized(12)) }
        rig.bench.stub.release()
        #expect(try await first.result().failure?.isNotCurrentTask == true)
        let image = try await second.result().get().image
        #expect(image.size == CGSize(width: 12, height: 12) && view.image === image)
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("V-17: a superseded load reports no progress")
    func progress() async throws {
        let (old, new) = (Inbox<Void>(), Inbox<Void>())
        let first = await rig.hold { rig.load(progress: { _, _ in old.put() }) }
        let second = rig.load(Bench.freshURL(), progress: { _, _ in new.put() })
        rig.bench.stub.release()
        #expect(try await first.result().superseded?.result != nil)
        _ = try await second.result().get()
        #expect(old.count == 0 && new.count > 0)
    }

    @Test("S-6: of two loads from disk only the second is deserialised and promoted")
    func fromDisk() async throws {
        let (first, second) = (rig.bench.url, Bench.freshURL())
        try await rig.storeOnDisk(first, second)
        let cache = rig.bench.cache
        let (hold, old, new) = (Latch(), CountingSerializer(), CountingSerializer())
        cache.lanes.run(key: first.cacheKey) { _ = hold.wait() }
        let loads = [rig.load(first, [.cacheSerializer(old)]), rig.load(second, [.cacheSerializer(new)])]
        hold.open()
        let superseded = try #require(try await loads[0].result().superseded)
        #expect(superseded.result == nil && superseded.error.map { $0.reasonName } == "imageNotExisting")
        #expect(try await loads[1].result().get().cacheType == .disk)
        #expect((old.decoded, new.decoded) == (0, 1))
        #expect(cache.retrieveImageInMemoryCache(forKey: first.cacheKey) == nil)
        #expect(cache.retrieveImageInMemoryCache(forKey: second.cacheKey) === view.image)
        #expect(rig.bench.stub.requests.count == 2)
    }

    @Test("S-4: a load that was superseded before its download began never downloads")
    func noDownload() async throws {
        let hold = Latch()
        rig.bench.cache.lanes.run(key: rig.bench.url.cacheKey) { _ = hold.wait() }
        let second = Bench.freshURL()
        let loads = [rig.load(), rig.load(second)]
        hold.open()
        #expect(try await loads[0].result().superseded?.error?.reasonName == "imageNotExisting")
        _ = try await loads[1].result().get()
        #expect(rig.bench.stub.requests.map(\.url) == [second])
    }
}
