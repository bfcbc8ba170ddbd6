package import Foundation

/// Drawable tiles of one image, within a limit of bytes.
package struct TileStore<Content> {
    private struct Entry {
        let content: Content
        let bytes: Int
    }

    private var entries: [TiledImage.Tile: Entry] = [:]
    /// The bytes of all tiles.
    package private(set) var bytes = 0
    package private(set) var evictionCount = 0

    package init() {}

    package var count: Int { entries.count }

    package subscript(tile: TiledImage.Tile) -> Content? { entries[tile]?.content }

    /// The nearest ancestor of `tile` in the store.
    package func ancestor(of tile: TiledImage.Tile, levelCount: Int) -> (TiledImage.Tile, Content)? {
        var ancestor = tile.parent
        while ancestor.level < levelCount {
            if let entry = entries[ancestor] { return (ancestor, entry.content) }
            ancestor = ancestor.parent
        }
        return nil
    }

    package mutating func insert(_ content: Content, bytes count: Int, for tile: TiledImage.Tile) {
        bytes += count - (entries[tile]?.bytes ?? 0)
        entries[tile] = Entry(content: content, bytes: count)
    }

    /// Evicts tiles until they have at most `limit` bytes: tiles of the levels furthest from the level of
    /// `grid` first, then tiles furthest from `center`, but none of `grid`.
    package mutating func evict(to limit: Int, keeping grid: TileGrid, center: CGPoint) {
        guard bytes > limit else { return }
        let order = entries.keys.filter { !grid.contains($0) }
            .map { (tile: $0, levels: abs($0.level - grid.level), distance: $0.squaredDistance(to: center)) }
            .sorted { ($0.levels, $0.distance) > ($1.levels, $1.distance) }
        for (tile, _, _) in order where bytes > limit {
            bytes -= entries.removeValue(forKey: tile)?.bytes ?? 0
            evictionCount += 1
        }
    }
}
