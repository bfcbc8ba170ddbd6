import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// `stale-while-revalidate` in views.
@Suite @MainActor struct ViewRenewalTests {
    private let rig: FreshnessRig
    private let gate = ServerGate()
    private let completions = Inbox<FreshnessRig.Outcome>()

    init() throws {
        rig = try FreshnessRig("max-age=60, stale-while-revalidate=30")
    }

    private var options: KingfisherOptionsInfo {
        [.targetCache(rig.cache), .downloader(rig.downloader), .httpCaching]
    }

    /// Shows the old image in `view`, with the request for the new one held.
    private func showOld(in view: ImageView) async throws -> Image {
        try await rig.loadAndAge()
        try rig.serveAnother()
        rig.serve { [gate] in $0.gate = gate }
        view.kf.setImage(with: rig.url, options: options) { [completions] in completions.put($0) }
        let old = try #require(view.image)
        #expect(old.size == TestImages.pngSize)
        let gate = gate
        #expect(await poll { @Sendable in gate.arrived == 1 })
        return old
    }

    @Test("A view shows the old image immediately and the new one later, with one completion")
    func image() async throws {
        let view = ImageView()
        let old = try await showOld(in: view)
        #expect(completions.count == 1)
        gate.release()
        var polls = 0
        while view.image === old, polls < 5_000 {
            polls += 1
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(view.image != nil && view.image?.size != TestImages.pngSize)
        #expect(completions.count == 1)
        #expect(rig.server.requestCount() == 2)
    }

    @Test("A view that shows another image by then is not changed", arguments: [false, true])
    func otherImage(byLoad: Bool) async throws {
        let view = ImageView()
        _ = try await showOld(in: view)
        let other = try Image.blank()
        if byLoad {
            let provider = RawImageDataProvider(data: try TestImages.gif, cacheKey: UUID().uuidString)
            let other = Inbox<FreshnessRig.Outcome>()
            view.kf.setImage(with: provider, options: [.targetCache(rig.cache)]) { other.put($0) }
            _ = try await other.first().get()
        } else {
            view.image = other
        }
        let shown = try #require(view.image)
        gate.release()
        let (cache, key) = (rig.cache, rig.key)
        #expect(
            await poll { @Sendable in
                cache.retrieveImageInMemoryCache(forKey: key)?.size != TestImages.pngSize
            })
        // The transfer is removed after the renewal was delivered.
        let downloader = rig.downloader
        #expect(await poll { @Sendable in downloader.transfers.withLock(\.isEmpty) })
        await passMainQueue()
        await passMainQueue()
        #expect(view.image === shown)
    }

    @Test("A button shows the old image immediately and the new one later, with one completion")
    func button() async throws {
        try await rig.loadAndAge()
        try rig.serveAnother()
        let button = Button()
        button.kf.setImage(with: rig.url, for: .normal, options: options) { [completions] in
            completions.put($0)
        }
        #expect(button.image(for: .normal)?.size == TestImages.pngSize)
        var polls = 0
        while button.image(for: .normal)?.size == TestImages.pngSize, polls < 5_000 {
            polls += 1
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(try #require(button.image(for: .normal)).size != TestImages.pngSize)
        #expect(completions.count == 1)
    }
}
