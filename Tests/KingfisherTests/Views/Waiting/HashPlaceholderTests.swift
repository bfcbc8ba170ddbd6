import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Placeholders made from a BlurHash or a ThumbHash.
@Suite @MainActor struct HashPlaceholderTests {
    let rig: ImageViewLoadingRig
    var view: ImageView { rig.view }
    private static let blur = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
    private static let thumb = "3UiKFQYreWhPtolHW39T9yhlB1d3iIB0WA=="

    init() throws { rig = try ImageViewLoadingRig() }

    private func hashView(of view: ImageView? = nil) -> ImageView? {
        (view ?? self.view).subviews.first as? HashPlaceholderView
    }

    private func isDecoded(_ view: ImageView?) -> Bool {
        (view?.image?.pixels?.width ?? 0) > 1
    }

    /// Content whose decoder stores whether it runs on the main queue, and then waits for `latch`.
    private func content(
        _ latch: Latch? = nil, _ started: Inbox<Bool> = Inbox(), ended: Inbox<Void> = Inbox()
    ) throws -> HashContent {
        let image = try Image.blank(width: 32, height: 24)
        return HashContent(
            key: UUID().uuidString, averageColor: .red, contentMode: .scaleToFill,
            decode: {
                started.put(MainQueue.isCurrent)
                if let latch { #expect(latch.wait()) }
                ended.put()
                return image
            })
    }

    @Test("A hash fills the view with its average colour at once, then with its image, until the load ends")
    func order() async throws {
        let (latch, started) = (Latch(), Inbox<Bool>())
        let badge = View()
        view.addSubview(badge)
        view.image = try .blank()
        let content = try content(latch, started)
        content.add(to: view)
        let shown = try #require(hashView())
        #expect(view.subviews == [shown, badge] && shown.placement == .fill)
        #expect(shown.contentMode == .scaleToFill)
        #expect(shown.accessibility.isDecorative && view.accessibility == ViewAccessibility(role: .image))
        let average = try #require(shown.image?.pixels)
        #expect(
            average.size == PixelSize(width: 1, height: 1) && average.samples(x: 0, y: 0) == [255, 0, 0, 255])
        latch.open()
        #expect(try await started.first() == false, "the hash was decoded on the main queue")
        #expect(await poll { isDecoded(shown) })
        #expect(shown.image?.pixels?.width == 32 && shown.image?.pixels?.height == 24)
        content.remove(from: view)
        #expect(view.subviews == [badge] && shown.superview == nil)
    }

    @Test("A hash that is removed while it is decoded is not shown afterwards")
    func superseded() async throws {
        let (latch, started, ended) = (Latch(), Inbox<Bool>(), Inbox<Void>())
        let content = try content(latch, started, ended: ended)
        content.add(to: view)
        let first = try #require(hashView())
        let average = first.image
        _ = try await started.first()
        content.remove(from: view)
        let other = try self.content()
        other.add(to: view)
        let second = try #require(hashView())
        latch.open()
        _ = try await ended.first()
        #expect(await poll { isDecoded(second) })
        await passMainQueue()
        #expect(first.image === average && first.superview == nil && view.subviews == [second])
    }

    @Test("A hash that is removed before decoding starts is not decoded")
    func cancelled() async throws {
        let ran = Inbox<Bool>()
        // A task may start before it is cancelled, so one of many is enough.
        for _ in 0..<200 {
            let content = try content(nil, ran)
            content.add(to: view)
            content.remove(from: view)
        }
        let last = try self.content()
        last.add(to: view)
        #expect(await poll { isDecoded(hashView()) })
        #expect(ran.count < 200 && view.subviews.count == 1)
    }

    @Test("A decoded hash is shown at once in another view")
    func recycled() async throws {
        let content = try content()
        content.add(to: view)
        #expect(await poll { isDecoded(hashView()) })
        let other = ImageView()
        content.add(to: other)
        #expect(isDecoded(hashView(of: other)) && hashView(of: other)?.image === hashView()?.image)
    }

    @Test("An image view shows a hash while it loads, in leading-dot form")
    func setImage() async throws {
        rig.bench.stub.hold()
        let load = rig.load(placeholder: .blurHash(Self.blur))
        #expect(view.image == nil && view.kf.placeholder is BlurHashPlaceholder)
        let shown = try #require(hashView())
        #expect(await poll { isDecoded(shown) })
        let expected = try BlurHash(Self.blur).image()
        #expect(samePixels(shown.image, expected))
        rig.bench.stub.release()
        let image = try await load.result().get().image
        #expect(view.image === image && view.subviews.isEmpty && shown.superview == nil)
    }

    @Test("The same hash in the next load of a view stays visible")
    func sameHash() async throws {
        rig.bench.stub.hold()
        let first = rig.load(placeholder: .thumbHash(Self.thumb))
        #expect(await poll { isDecoded(hashView()) })
        let second = rig.load(Bench.freshURL(), placeholder: .thumbHash(Self.thumb))
        #expect(isDecoded(hashView()) && view.subviews.count == 1)
        #expect(hashView()?.contentMode == .scaleAspectFill)
        rig.bench.stub.release()
        _ = try await (first.result(), second.result())
        #expect(view.subviews.isEmpty)
    }

    @Test("A builder shows a hash in every view it is set to, in leading-dot form")
    func builder() async throws {
        rig.bench.stub.hold()
        let builder = KF.url(rig.bench.url).targetCache(rig.bench.cache).downloader(rig.bench.downloader)
        let other = ImageView()
        let loaded = Inbox<Void>()
        let described = builder.placeholder(.blurHash(try BlurHash(Self.blur), punch: 2))
            .onSuccess { _ in loaded.put() }
        described.set(to: view)
        described.set(to: other)
        #expect(await poll { isDecoded(hashView()) && isDecoded(hashView(of: other)) })
        _ = builder.placeholder(.thumbHash(Self.thumb))
        rig.bench.stub.release()
        #expect(await poll { loaded.count == 2 })
        #expect(view.subviews.isEmpty && other.subviews.isEmpty)
    }

    @Test(
        "A malformed hash shows nothing",
        arguments: [
            BlurHashPlaceholder("LEHV6"), .init(""), .init("é"), .init(String(repeating: "~", count: 28)),
        ])
    func malformedBlur(placeholder: BlurHashPlaceholder) async throws {
        rig.bench.stub.hold()
        let load = rig.load(placeholder: placeholder)
        #expect(view.subviews.isEmpty && view.image == nil)
        rig.bench.stub.release()
        _ = try await load.result().get()
    }

    @Test("A malformed ThumbHash shows nothing", arguments: ["", "AAAA", "%%%%%%%%%%%"])
    func malformedThumb(text: String) {
        rig.bench.stub.hold()
        _ = rig.load(placeholder: .thumbHash(text))
        #expect(view.subviews.isEmpty && view.image == nil)
        view.kf.cancelDownloadTask()
    }
}
