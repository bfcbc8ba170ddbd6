/// Which tiles are being decoded: the first of those that are wanted, at most `width` at a time.
package struct TileQueue {
    package struct Changes: Equatable {
        package var started: [TiledImage.Tile] = []
        package var cancelled: [TiledImage.Tile] = []
    }

    private let width: Int
    private var waiting: [TiledImage.Tile] = []
    package private(set) var running: Set<TiledImage.Tile> = []
    /// Not decoded again.
    package private(set) var failed: Set<TiledImage.Tile> = []

    package init(width: Int) {
        self.width = width
    }

    /// Replaces the wanted tiles, the most urgent first, and cancels those that are not wanted any more.
    package mutating func want(_ tiles: [TiledImage.Tile]) -> Changes {
        let wanted = Set(tiles)
        let cancelled = running.subtracting(wanted)
        running.formIntersection(wanted)
        waiting = tiles.filter { !running.contains($0) && !failed.contains($0) }
        return Changes(started: start(), cancelled: Array(cancelled))
    }

    /// Ends a running tile; returns the tiles that start in its place.
    package mutating func end(_ tile: TiledImage.Tile, failing: Bool) -> [TiledImage.Tile] {
        running.remove(tile)
        if failing { failed.insert(tile) }
        return start()
    }

    private mutating func start() -> [TiledImage.Tile] {
        let started = Array(waiting.prefix(max(0, width - running.count)))
        waiting.removeFirst(started.count)
        running.formUnion(started)
        return started
    }
}
