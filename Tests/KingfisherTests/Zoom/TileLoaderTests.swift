import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("Zoom: loading of tiles") @MainActor struct TileLoaderTests {
    private let source = SyntheticTiles(width: 6000, height: 4000) { _, level in
        [UInt8(level), 0, 0, 255]
    }

    private func loader(bytes: Int = 1 << 20) -> TileLoader<Image> {
        TileLoader(source) { image, size in
            DrawableTile(image, size: image.pixels?.size ?? PixelSize(width: 0, height: 0), bytes: bytes)
        }
    }

    private var viewport: ZoomViewport {
        ZoomViewport(imageSize: source.size, viewSize: CGSize(width: 1000, height: 1000))
    }

    private func ready(_ loader: TileLoader<Image>) async throws {
        loader.show(viewport)
        try #require(await poll { loader.overview != nil })
    }

    @Test("The overview covers the fitted image and is enough while that is shown")
    func overview() async throws {
        let loader = loader()
        #expect(loader.isWaiting)
        try await ready(loader)
        loader.show(viewport)
        #expect(source.overviews == [PixelSize(width: 1000, height: 666)])
        #expect(loader.overview?.size == PixelSize(width: 1500, height: 1000))
        #expect(loader.visible.isEmpty && source.started.isEmpty && !loader.isWaiting)
    }

    @Test("Visible tiles are decoded first, from the centre, then one ring")
    func order() async throws {
        let loader = loader()
        try await ready(loader)
        var viewport = viewport
        viewport.setZoom(1)
        loader.show(viewport)
        let visible = loader.visible
        #expect(visible.count == 9)
        #expect(await poll { loader.store.count == 25 })
        let started = source.started
        #expect(Set(started.prefix(9)) == Set(visible.tiles(nearestTo: .zero)))
        // Four run at a time, so their order is that of the scheduler.
        #expect(started.prefix(4).contains(visible.tiles(nearestTo: viewport.visibleCenter)[0]))
        loader.show(viewport)
        #expect(source.started.count == 25)
    }

    @Test("Tiles that are scrolled out of reach are cancelled, and those that stay are not begun twice")
    func cancellation() async throws {
        let loader = loader()
        try await ready(loader)
        source.isHolding = true
        var viewport = viewport
        viewport.setZoom(1)
        loader.show(viewport)
        #expect(await poll { source.started.count == 4 })
        let first = Set(source.started)
        viewport.scroll(to: .zero)
        loader.show(viewport)
        #expect(await poll { source.cancelled.count == 4 && source.started.count == 8 })
        #expect(Set(source.cancelled) == first)
        loader.pause()
        #expect(await poll { source.cancelled.count == 8 })
        source.isHolding = false
        loader.show(viewport)
        #expect(await poll { loader.store.count == 9 })
    }

    @Test("Tiles stay within the limit, and the visible ones are never evicted")
    func limit() async throws {
        let loader = loader(bytes: 4 << 20)
        try await ready(loader)
        var viewport = viewport
        viewport.setZoom(1)
        for x in stride(from: 0, through: 5000, by: 1000) {
            viewport.scroll(to: CGPoint(x: x, y: 1500))
            loader.show(viewport)
            let tiles = loader.visible.tiles(nearestTo: .zero)
            #expect(await poll { tiles.allSatisfy { loader.store[$0] != nil } })
        }
        viewport.scroll(to: CGPoint(x: 0, y: 1500))
        loader.show(viewport)
        #expect(loader.store.evictionCount > 0)
        #expect(loader.store.bytes <= TileLoader<Image>.usualLimit + 25 * (4 << 20))
    }

    @Test("The first error is reported once, what was decoded stays, and failed tiles are not repeated")
    func failure() async throws {
        let loader = loader()
        var errors: [KingfisherError] = []
        loader.onFailure = { errors.append($0) }
        try await ready(loader)
        source.isFailing = true
        var viewport = viewport
        viewport.setZoom(1)
        loader.show(viewport)
        #expect(await poll { source.started.count == 25 })
        #expect(await poll { errors.count == 1 })
        // The same tiles. A pause would cancel those that have started but not failed yet, which start again.
        viewport.scroll(to: CGPoint(x: viewport.offset.x + 1, y: viewport.offset.y))
        loader.show(viewport)
        try await Task.sleep(for: .milliseconds(50))
        #expect(source.started.count == 25 && errors.count == 1)
        #expect(loader.overview != nil && loader.store.count == 0)
    }

    @Test("An overview that fails is not repeated")
    func failedOverview() async {
        source.isFailing = true
        let loader = loader()
        var count = 0
        loader.onFailure = { _ in count += 1 }
        loader.show(viewport)
        #expect(await poll { count == 1 })
        loader.show(viewport)
        #expect(!loader.isWaiting && source.overviews.count == 1)
    }

    @Test("A view that has become much smaller gets tiles of a smaller level")
    func smallerView() async throws {
        let loader = loader()
        try await ready(loader)
        var viewport = viewport
        viewport.resize(to: CGSize(width: 100, height: 100))
        loader.show(viewport)
        #expect(loader.visible == TileGrid(level: 4, columns: 0..<1, rows: 0..<1))
    }
}
