import KingfisherImage

/// The sizes of the levels of an image, and where their tiles are.
struct TileLevels: Hashable, Sendable {
    let size: PixelSize
    let count: Int

    init(_ size: PixelSize) {
        self.size = size
        var count = 1
        while max(size.width, size.height) > TiledImage.tileLength << (count - 1) { count += 1 }
        self.count = count
    }

    func size(of level: Int) -> PixelSize {
        let shift = min(max(level, 0), count - 1)
        return PixelSize(
            width: (size.width + (1 << shift) - 1) >> shift,
            height: (size.height + (1 << shift) - 1) >> shift)
    }

    /// The last level that is at least as large as `other`; level 0 if none is.
    func smallest(covering other: PixelSize) -> Int {
        (0..<count).last { level in
            let own = size(of: level)
            return own.width >= other.width && own.height >= other.height
        } ?? 0
    }

    /// The pixels of a tile in its level; nil for one outside of the image.
    func area(of tile: TiledImage.Tile) -> PixelArea? {
        guard (0..<count).contains(tile.level) else { return nil }
        let (own, length) = (size(of: tile.level), TiledImage.tileLength)
        guard (0..<(own.width + length - 1) / length).contains(tile.column),
            (0..<(own.height + length - 1) / length).contains(tile.row)
        else { return nil }
        let (x, y) = (tile.column * length, tile.row * length)
        return PixelArea(
            x: x, y: y,
            size: PixelSize(width: min(length, own.width - x), height: min(length, own.height - y)))
    }
}

extension TileLevels {
    /// The pixels of all tiles of a level, row by row.
    func areas(of level: Int) -> [PixelArea] {
        let (own, length) = (size(of: level), TiledImage.tileLength)
        return (0..<(own.height + length - 1) / length).flatMap { row in
            (0..<(own.width + length - 1) / length).compactMap { column in
                area(of: TiledImage.Tile(level: level, column: column, row: row))
            }
        }
    }
}
