import CGtk
import Foundation
import Kingfisher

/// Draws one frame of a zoomable image.
@MainActor struct ZoomDrawing {
    /// The most tiles that a frame draws for the first time: a renderer on a GPU uploads each of them while
    /// it holds the main thread.
    static let uploadLimit = 6

    let viewport: ZoomViewport
    let loader: TileLoader<Texture>
    /// Pixels per point.
    let scale: CGFloat
    let phase: CGPoint
    /// The tiles that were drawn in the last frame.
    let uploaded: Set<TiledImage.Tile>
    /// The tiles that this frame has drawn.
    private(set) var drawn: Set<TiledImage.Tile> = []
    /// Whether a tile that could be drawn is left for the next frame.
    private(set) var isPartial = false

    init(
        viewport: ZoomViewport, loader: TileLoader<Texture>, scale: CGFloat, phase: CGPoint,
        uploaded: Set<TiledImage.Tile>
    ) {
        (self.viewport, self.loader, self.scale) = (viewport, loader, scale)
        (self.phase, self.uploaded) = (phase, uploaded)
    }

    mutating func draw(on snapshot: OpaquePointer) {
        let tiles = loader.visible.tiles(nearestTo: viewport.visibleCenter)
        guard !tiles.isEmpty else { return drawOverview(on: snapshot) }
        for (tile, texture) in choose(from: tiles) {
            let frame = frame(of: tile)
            if let texture {
                draw(texture, of: tile, in: frame, on: snapshot)
            } else {
                drawSubstitute(for: tile, in: frame, on: snapshot)
            }
        }
    }

    /// The tiles to draw, nil for those that are missing.
    private mutating func choose(from tiles: [TiledImage.Tile]) -> [(TiledImage.Tile, Texture?)] {
        var uploads = 0
        return tiles.map { tile in
            guard let texture = loader.store[tile] else { return (tile, nil) }
            if !uploaded.contains(tile) {
                guard uploads < Self.uploadLimit else {
                    isPartial = true
                    return (tile, nil)
                }
                uploads += 1
            }
            drawn.insert(tile)
            return (tile, texture)
        }
    }

    private func frame(of tile: TiledImage.Tile) -> CGRect {
        viewport.frame(of: tile.rect(in: viewport.imageSize), phase: phase)
    }

    private func draw(
        _ texture: Texture, of tile: TiledImage.Tile, in frame: CGRect, on snapshot: OpaquePointer
    ) {
        guard frame.width > 0, frame.height > 0 else { return }
        snapshot.append(texture, in: frame, scale: scale)
    }

    /// Draws the part of a smaller level or of the overview that shows a missing tile. Only this part,
    /// because pixels that are transparent must not be drawn twice.
    private func drawSubstitute(
        for tile: TiledImage.Tile, in frame: CGRect, on snapshot: OpaquePointer
    ) {
        guard frame.width > 0, frame.height > 0 else { return }
        var bounds = graphene_rect_t(frame, scale: scale)
        gtk_snapshot_push_clip(snapshot, &bounds)
        if let (tile, texture) = loader.store.ancestor(of: tile, levelCount: loader.source.levelCount) {
            draw(texture, of: tile, in: self.frame(of: tile), on: snapshot)
        } else {
            drawOverview(on: snapshot)
        }
        gtk_snapshot_pop(snapshot)
    }

    private func drawOverview(on snapshot: OpaquePointer) {
        let frame = viewport.imageFrame(phase: phase)
        guard let overview = loader.overview, frame.width > 0, frame.height > 0 else { return }
        snapshot.append(overview.content, in: frame, scale: scale)
    }
}

extension graphene_rect_t {
    /// A rectangle of device pixels in points.
    fileprivate init(_ frame: CGRect, scale: CGFloat) {
        self.init(
            origin: graphene_point_t(x: Float(frame.minX / scale), y: Float(frame.minY / scale)),
            size: graphene_size_t(width: Float(frame.width / scale), height: Float(frame.height / scale)))
    }
}

extension OpaquePointer {
    /// Appends a texture in a frame of device pixels: pixels stay sharp from twice their size up.
    @MainActor fileprivate func append(_ texture: Texture, in frame: CGRect, scale: CGFloat) {
        var bounds = graphene_rect_t(frame, scale: scale)
        texture.withPaintable { pointer in
            let stretch = frame.width / CGFloat(gdk_texture_get_width(pointer))
            let filter: TextureFilter = stretch > 1.99 ? .nearest : stretch < 0.999 ? .trilinear : .linear
            // With cairo, GTK draws a scaled texture in points and enlarges that to pixels, which blurs 1:1.
            if filter != .linear, let append = ScaledTexture.append {
                append(self, pointer, filter.rawValue, &bounds)
            } else {
                gtk_snapshot_append_texture(self, pointer, &bounds)
            }
        }
    }
}
