import Foundation
import Kingfisher
import KingfisherImage
import Testing

@Suite("Zoom: tiles of a viewport") struct TileGridTests {
    private let image = PixelSize(width: 5000, height: 3000)

    private func viewport(
        zoom: Double, offset: CGPoint = .zero, view: CGSize = CGSize(width: 1000, height: 800)
    ) -> ZoomViewport {
        var viewport = ZoomViewport(imageSize: image, viewSize: view)
        viewport.setZoom(zoom)
        viewport.scroll(to: offset)
        return viewport
    }

    @Test(
        "A level has at least one pixel for each device pixel, and less than four",
        arguments: [
            (20, 0), (1, 0), (0.99, 0), (0.51, 0), (0.5, 1), (0.4, 1), (0.25, 2), (0.2, 2),
        ])
    func level(zoom: Double, level: Int) {
        #expect(viewport(zoom: zoom).level(of: 5) == level)
    }

    @Test("A small image has no level smaller than its last")
    func lastLevel() {
        let viewport = ZoomViewport(
            imageSize: PixelSize(width: 512, height: 512), viewSize: CGSize(width: 16, height: 16))
        #expect(viewport.level(of: 1) == 0)
    }

    @Test(
        "The grid has the tiles that a pixel of the view shows, and no others",
        arguments: [
            (1, CGPoint(x: 0, y: 0), 0, 0..<2, 0..<2),
            (1, CGPoint(x: 513, y: 520), 0, 1..<3, 1..<3),
            (1, CGPoint(x: 4000, y: 2200), 0, 7..<10, 4..<6),
            (2, CGPoint(x: 1100, y: 2100), 0, 1..<3, 2..<3),
            (0.5, CGPoint(x: 600, y: 100), 1, 1..<4, 0..<2),
        ])
    func visible(zoom: Double, offset: CGPoint, level: Int, columns: Range<Int>, rows: Range<Int>) {
        let grid = viewport(zoom: zoom, offset: offset).visibleTiles(ofLevel: level)
        #expect(grid == TileGrid(level: level, columns: columns, rows: rows))
    }

    @Test("The ring is one tile wide and ends at the edge of the image")
    func ring() {
        let inner = viewport(zoom: 1, offset: CGPoint(x: 1030, y: 1030))
        #expect(inner.visibleTiles(ofLevel: 0) == TileGrid(level: 0, columns: 2..<4, rows: 2..<4))
        #expect(inner.nearbyTiles(ofLevel: 0) == TileGrid(level: 0, columns: 1..<5, rows: 1..<5))
        let corner = viewport(zoom: 1, offset: CGPoint(x: 4000, y: 2200))
        #expect(corner.nearbyTiles(ofLevel: 0) == TileGrid(level: 0, columns: 6..<10, rows: 3..<6))
    }

    @Test("Tiles nearest to the centre come first")
    func order() {
        let tiles = TileGrid(level: 0, columns: 0..<3, rows: 0..<3)
            .tiles(nearestTo: CGPoint(x: 1280, y: 1280))
        #expect(tiles.first == TiledImage.Tile(level: 0, column: 2, row: 2))
        #expect(tiles.last == TiledImage.Tile(level: 0, column: 0, row: 0))
        #expect(Set(tiles).count == 9)
    }

    @Test(
        "Neighbours share an edge on the pixel grid, and panning does not change their sizes",
        arguments: [0.37, 1, 1.3, 2.5, 7.77], [CGPoint.zero, CGPoint(x: 0.25, y: 0.75)])
    func frames(zoom: Double, phase: CGPoint) {
        var sizes: Set<CGFloat> = []
        for x in stride(from: 0.0, to: 3, by: 0.3) {
            let viewport = viewport(zoom: zoom, offset: CGPoint(x: 400 + x, y: 300))
            let frames = (0..<6).map { column in
                viewport.frame(
                    of: TiledImage.Tile(level: 0, column: column, row: 1).rect(in: image), phase: phase)
            }
            for (left, right) in zip(frames, frames.dropFirst()) { #expect(left.maxX == right.minX) }
            for frame in frames {
                let edges = [frame.minX + phase.x, frame.maxX + phase.x, frame.minY + phase.y]
                #expect(edges.allSatisfy { abs($0 - $0.rounded()) < 1e-9 })
            }
            sizes.formUnion([frames[1].width])
        }
        #expect(sizes.count == 1)
    }

    @Test("Tiles of a smaller level cover the same area, and the last ones end with the image")
    func parents() {
        let viewport = viewport(zoom: 0.73)
        let child = TiledImage.Tile(level: 0, column: 9, row: 5)
        #expect(child.parent == TiledImage.Tile(level: 1, column: 4, row: 2))
        let (frame, parent) = (
            viewport.frame(of: child.rect(in: image)), viewport.frame(of: child.parent.rect(in: image))
        )
        #expect(parent.contains(frame))
        #expect(frame.maxX == viewport.imageFrame().maxX && parent.maxX == frame.maxX)
        #expect(frame.maxY == viewport.imageFrame().maxY && parent.maxY == frame.maxY)
    }

    @Test("At 1:1 a frame has as many device pixels as its tile has pixels")
    func actualSize() {
        let viewport = viewport(zoom: 1, offset: CGPoint(x: 700.4, y: 11.5))
        let frame = viewport.frame(of: TiledImage.Tile(level: 0, column: 1, row: 0).rect(in: image))
        #expect(frame == CGRect(x: 512 - 700, y: -12, width: 512, height: 512))
    }
}
