package import Foundation
package import KingfisherImage

/// The tiles of one level that a rectangle of the image touches.
package struct TileGrid: Equatable, Sendable {
    package let level: Int
    package let columns: Range<Int>
    package let rows: Range<Int>

    package static let none = TileGrid(level: 0, columns: 0..<0, rows: 0..<0)

    package var isEmpty: Bool { columns.isEmpty || rows.isEmpty }
    package var count: Int { columns.count * rows.count }

    package init(level: Int, columns: Range<Int>, rows: Range<Int>) {
        (self.level, self.columns, self.rows) = (level, columns, rows)
    }

    /// The tiles of `level` that contain a pixel of `rect`, which is in pixels of level 0.
    package init(level: Int, touching rect: CGRect, of imageSize: PixelSize) {
        let side = Double(TiledImage.tileLength << level)
        func range(_ low: Double, _ high: Double, _ length: Int) -> Range<Int> {
            let count = Int((Double(length) / side).rounded(.up))
            let first = min(max(Int((low / side).rounded(.down)), 0), count)
            return first..<max(first, min(Int((high / side).rounded(.up)), count))
        }
        self.init(
            level: level, columns: range(rect.minX, rect.maxX, imageSize.width),
            rows: range(rect.minY, rect.maxY, imageSize.height))
    }

    package func contains(_ tile: TiledImage.Tile) -> Bool {
        tile.level == level && columns.contains(tile.column) && rows.contains(tile.row)
    }

    /// The tiles, those nearest to `center` first, which is in pixels of level 0.
    package func tiles(nearestTo center: CGPoint) -> [TiledImage.Tile] {
        let tiles = rows.flatMap { row in
            columns.map { TiledImage.Tile(level: level, column: $0, row: row) }
        }
        return tiles.map { ($0, $0.squaredDistance(to: center)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }
}

extension TiledImage.Tile {
    /// The part of the image that the tile shows, in pixels of level 0.
    package func rect(in imageSize: PixelSize) -> CGRect {
        let side = TiledImage.tileLength << level
        let (x, y) = (column * side, row * side)
        return CGRect(
            x: x, y: y, width: min(side, imageSize.width - x), height: min(side, imageSize.height - y))
    }

    /// The tile of the next smaller level that shows this tile's part of the image.
    package var parent: TiledImage.Tile {
        TiledImage.Tile(level: level + 1, column: column / 2, row: row / 2)
    }

    /// In pixels of level 0, between the tile's centre and `point`.
    package func squaredDistance(to point: CGPoint) -> Double {
        let side = Double(TiledImage.tileLength << level)
        let x = (Double(column) + 0.5) * side - point.x
        let y = (Double(row) + 0.5) * side - point.y
        return x * x + y * y
    }
}

extension ZoomViewport {
    /// The smallest level with at least one pixel for each device pixel; 0 if there is none.
    package func level(of levelCount: Int) -> Int {
        guard zoom < 1 else { return 0 }
        return min(Int((log2(1 / zoom) + 1e-9).rounded(.down)), levelCount - 1)
    }

    /// The visible tiles of `level`. Rounding to device pixels can move the image by one of them.
    package func visibleTiles(ofLevel level: Int) -> TileGrid {
        tiles(ofLevel: level, beyond: 1 / zoom)
    }

    /// The visible tiles of `level`, and one more in each direction.
    package func nearbyTiles(ofLevel level: Int) -> TileGrid {
        tiles(ofLevel: level, beyond: 1 / zoom + Double(TiledImage.tileLength << level))
    }

    private func tiles(ofLevel level: Int, beyond margin: Double) -> TileGrid {
        TileGrid(level: level, touching: visibleRect.insetBy(dx: -margin, dy: -margin), of: imageSize)
    }

    /// The centre of the visible part, in image pixels.
    package var visibleCenter: CGPoint {
        let visible = visibleRect
        return CGPoint(x: visible.midX, y: visible.midY)
    }

    /// Where to draw a part of the image, which is in image pixels.
    ///
    /// All edges are on the device's pixel grid, so that neighbours share them without a seam, and an image
    /// at 1:1 is not resampled. Sizes do not depend on the offset.
    ///
    /// - Parameter phase: the distance of the view's corner from the pixel grid.
    package func frame(of part: CGRect, phase: CGPoint = .zero) -> CGRect {
        let origin = imageOrigin
        let left = (origin.x + phase.x).rounded() - phase.x
        let top = (origin.y + phase.y).rounded() - phase.y
        let (x, y) = ((part.minX * zoom).rounded(), (part.minY * zoom).rounded())
        return CGRect(
            x: left + x, y: top + y, width: (part.maxX * zoom).rounded() - x,
            height: (part.maxY * zoom).rounded() - y)
    }

    /// Where to draw the whole image; see `frame(of:phase:)`.
    package func imageFrame(phase: CGPoint = .zero) -> CGRect {
        frame(of: CGRect(x: 0, y: 0, width: imageSize.width, height: imageSize.height), phase: phase)
    }
}
