import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Several loads of one view; `LoadingPlaceSupersededTests` covers what all places share.
@Suite @MainActor struct ImageViewLoadingSupersededTests {
    let rig: ImageViewLoadingRig
    var view: ImageView { rig.view }

    init() throws { rig = try ImageViewLoadingRig() }

    @Test("A superseded download that ends last does not replace the image", .behaviours("V-4"))
    func oldEndsLast() async throws {
        let other = try Bench(serving: TestImages.jpeg)
        let old = await rig.hold { rig.load() }
        let image = try await rig.load([.downloader(other.downloader), .forceRefresh]).result().get().image
        #expect(view.image === image)
        rig.bench.stub.release()
        #expect(try await old.result().superseded?.result?.image.size == TestImages.pngSize)
        #expect(view.image === image)
    }

    @Test("A load without a source supersedes as well", .behaviours("V-4"))
    func missingSource() async throws {
        let old = await rig.hold { rig.load() }
        #expect(reason(try await rig.load(nil as Source?).result()) == "emptySource")
        rig.bench.stub.release()
        #expect(try await old.result().superseded?.result != nil)
        #expect(view.image == nil)
    }

    @Test("Of many loads of one view each completes once, and the last image is shown", .behaviours("V-4"))
    func many() async throws {
        let urls = (0..<20).map { _ in Bench.freshURL() }
        let loads = urls.map { rig.load($0) }
        for load in loads.dropLast() { #expect(try await load.result().superseded != nil) }
        let last = try await loads[19].result().get()
        #expect(last.source.url == urls[19] && view.image === last.image)
    }

    @Test("A load superseded before its download starts does not download", .behaviours("S-4"))
    func noDownload() async throws {
        let hold = Latch()
        rig.bench.cache.diskQueue.run(key: rig.bench.url.cacheKey) { _ = hold.wait() }
        let second = Bench.freshURL()
        let loads = [rig.load(), rig.load(second)]
        hold.open()
        #expect(try await loads[0].result().superseded?.error?.reasonName == "imageNotExisting")
        _ = try await loads[1].result().get()
        #expect(rig.bench.stub.requests.map(\.url) == [second])
    }
}
