import CGtk
import Foundation
import KingfisherImage

/// An image ready to be drawn: a texture, and how it is turned and scaled.
struct DrawableImage {
    let image: Image
    private let texture: Texture

    /// How far the image was shrunk for what is drawn.
    var level: MipLevel { texture.level }

    /// Makes the texture at once; nil for an empty image.
    init?(_ image: Image?) {
        guard let image, let texture = image.pixels.flatMap({ TextureCache.shared.texture(for: $0) })
        else { return nil }
        self.init(image, texture: texture)
    }

    init(_ image: Image, texture: Texture) {
        self.image = image
        self.texture = texture
    }

    /// Appends the image to `snapshot`, upright, over `frame`.
    @MainActor func draw(in frame: CGRect, on snapshot: OpaquePointer) {
        var size = frame.size
        gtk_snapshot_save(snapshot)
        snapshot.translate(x: frame.midX, y: frame.midY)
        let turn = image.imageOrientation.turn
        // Drawing is mirrored first and turned then, so the transforms go on in the opposite order.
        if turn.degrees != 0 { gtk_snapshot_rotate(snapshot, turn.degrees) }
        if turn.isMirrored { gtk_snapshot_scale(snapshot, -1, 1) }
        if image.imageOrientation.swapsSides { size = CGSize(width: size.height, height: size.width) }
        snapshot.translate(x: -size.width / 2, y: -size.height / 2)
        texture.withPaintable { gdk_paintable_snapshot($0, snapshot, size.width, size.height) }
        gtk_snapshot_restore(snapshot)
    }
}

extension Image.Orientation {
    /// How stored pixels come upright: mirrored left to right first where so, then turned clockwise.
    fileprivate var turn: (isMirrored: Bool, degrees: Float) {
        switch self {
        case .up: (false, 0)
        case .down: (false, 180)
        case .left: (false, 270)
        case .right: (false, 90)
        case .upMirrored: (true, 0)
        case .downMirrored: (true, 180)
        case .leftMirrored: (true, 270)
        case .rightMirrored: (true, 90)
        }
    }
}

/// A GtkSnapshot.
extension OpaquePointer {
    func translate(x: Double, y: Double) {
        var point = graphene_point_t(x: Float(x), y: Float(y))
        gtk_snapshot_translate(self, &point)
    }

    func clip(to size: CGSize) {
        var bounds = graphene_rect_t(
            origin: graphene_point_t(x: 0, y: 0),
            size: graphene_size_t(width: Float(size.width), height: Float(size.height)))
        gtk_snapshot_push_clip(self, &bounds)
    }
}
