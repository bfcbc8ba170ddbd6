package import Foundation
package import KingfisherImage

/// What a view asks for the parts of an image.
package protocol TileProvider: AnyObject, Sendable {
    var size: PixelSize { get }
    var levelCount: Int { get }
    func overview(covering size: PixelSize) async throws(KingfisherError) -> Image
    func tile(_ tile: TiledImage.Tile) async throws(KingfisherError) -> Image
}

extension TiledImage: TileProvider {}

/// A tile or an overview in the form that a toolkit draws.
package struct DrawableTile<Content: Sendable>: Sendable {
    package let content: Content
    /// The size of the content in pixels.
    package let size: PixelSize
    package let bytes: Int

    package init(_ content: Content, size: PixelSize, bytes: Int) {
        (self.content, self.size, self.bytes) = (content, size, bytes)
    }
}

/// Loads and holds what a view needs of one image: an overview, the visible tiles and those next to them.
///
/// Decodes off the main thread, what is nearest to the centre first, and cancels tiles that are scrolled out
/// of reach.
@MainActor package final class TileLoader<Content: Sendable> {
    package typealias Drawable = DrawableTile<Content>
    /// Makes an image drawable, off the main thread; nil without enough memory. An overview may be shrunk to
    /// the given size.
    package typealias Maker = @Sendable (Image, PixelSize?) -> Drawable?

    /// The bytes of tiles that are always allowed; more only for tiles that are all visible.
    package static var usualLimit: Int { 64 << 20 }
    private static var tileBytes: Int { TiledImage.tileLength * TiledImage.tileLength * 4 }
    private static var concurrentTiles: Int { 4 }

    package let source: any TileProvider
    package private(set) var overview: Drawable?
    package private(set) var store = TileStore<Content>()
    /// The tiles to draw; none if the overview has enough pixels.
    package private(set) var visible = TileGrid.none
    /// What was shown last; nil after `pause`.
    package private(set) var viewport: ZoomViewport?
    /// Called after the overview or a tile has arrived.
    package var onChange: () -> Void = {}
    /// Called for the first error.
    package var onFailure: (KingfisherError) -> Void = { _ in }

    private let make: Maker
    private var queue = TileQueue(width: TileLoader.concurrentTiles)
    private var tasks: [TiledImage.Tile: Task<Void, Never>] = [:]
    private var overviewTask: Task<Void, Never>?
    private var hasFailed = false

    package init(_ source: any TileProvider, make: @escaping Maker) {
        (self.source, self.make) = (source, make)
    }

    isolated deinit { pause() }

    /// Whether the overview is still to come.
    package var isWaiting: Bool { overview == nil && !hasFailed }

    /// Loads what `viewport` shows. Cheap if that has not changed.
    package func show(_ viewport: ZoomViewport) {
        guard overview != nil else { return beginOverview(fitting: viewport) }
        guard viewport != self.viewport else { return }
        self.viewport = viewport
        let level = viewport.level(of: source.levelCount)
        visible = needsTiles(at: viewport.zoom) ? viewport.visibleTiles(ofLevel: level) : .none
        let nearby = visible.isEmpty ? visible : viewport.nearbyTiles(ofLevel: level)
        let limit = max(Self.usualLimit, visible.count * Self.tileBytes)
        let prefetches = nearby.count * Self.tileBytes <= limit
        let center = viewport.visibleCenter
        store.evict(to: limit, keeping: prefetches ? nearby : visible, center: center)
        let tiles = visible.tiles(nearestTo: center)
        let ring = prefetches ? nearby.tiles(nearestTo: center).filter { !visible.contains($0) } : []
        apply(queue.want((tiles + ring).filter { store[$0] == nil }))
    }

    /// Cancels all work until the next call of `show`.
    package func pause() {
        overviewTask?.cancel()
        overviewTask = nil
        apply(queue.want([]))
        viewport = nil
    }

    /// An overview with at least one and at most two pixels for a device pixel is as good as tiles.
    private func needsTiles(at zoom: Double) -> Bool {
        guard let overview, !source.size.isEmpty else { return false }
        let scale = Double(overview.size.width) / Double(source.size.width)
        return scale < min(zoom, 1) * 0.999 || scale > zoom * 2.001
    }

    // MARK: Overview

    private func beginOverview(fitting viewport: ZoomViewport) {
        guard overviewTask == nil, !hasFailed else { return }
        let (size, zoom) = (source.size, viewport.fitZoom)
        let needed = PixelSize(
            width: max(1, Int(Double(size.width) * zoom)), height: max(1, Int(Double(size.height) * zoom)))
        overviewTask = Task(priority: .userInitiated) { [weak self, source, make] in
            let result = await drawable(make, shrinkingTo: needed) { () throws(KingfisherError) in
                try await source.overview(covering: needed)
            }
            if !Task.isCancelled { self?.receiveOverview(result) }
        }
    }

    private func receiveOverview(_ result: Result<Drawable, KingfisherError>) {
        overviewTask = nil
        switch result {
        case .success(let drawable): overview = drawable
        case .failure(let error): fail(error)
        }
        onChange()
    }

    // MARK: Tiles

    private func apply(_ changes: TileQueue.Changes) {
        for tile in changes.cancelled { tasks.removeValue(forKey: tile)?.cancel() }
        for tile in changes.started { begin(tile) }
    }

    private func begin(_ tile: TiledImage.Tile) {
        tasks[tile] = Task(priority: .userInitiated) { [weak self, source, make] in
            let result = await drawable(make, shrinkingTo: nil) { () throws(KingfisherError) in
                try await source.tile(tile)
            }
            // A cancelled tile may have started again.
            if !Task.isCancelled { self?.receive(result, for: tile) }
        }
    }

    private func receive(_ result: Result<Drawable, KingfisherError>, for tile: TiledImage.Tile) {
        tasks[tile] = nil
        switch result {
        case .success(let drawable):
            store.insert(drawable.content, bytes: drawable.bytes, for: tile)
            queue.end(tile, failing: false).forEach(begin)
        case .failure(let error):
            queue.end(tile, failing: true).forEach(begin)
            fail(error)
        }
        if visible.contains(tile) { onChange() }
    }

    private func fail(_ error: KingfisherError) {
        guard !hasFailed else { return }
        hasFailed = true
        onFailure(error)
    }
}

/// Decodes and makes drawable, on a background thread.
private nonisolated func drawable<Content>(
    _ make: @Sendable (Image, PixelSize?) -> DrawableTile<Content>?, shrinkingTo size: PixelSize?,
    _ decode: @Sendable () async throws(KingfisherError) -> Image
) async -> Result<DrawableTile<Content>, KingfisherError> {
    do {
        let image = try await decode()
        if let drawable = make(image, size) { return .success(drawable) }
        let required = image.pixels?.byteCount ?? 0
        return .failure(.resourceError(reason: .memoryBudgetExceeded(required: required, budget: 0)))
    } catch {
        return .failure(error)
    }
}
