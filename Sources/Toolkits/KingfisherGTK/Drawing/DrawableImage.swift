import CGtk
import Foundation
import KingfisherImage

struct DrawableImage {
    let image: Image
    private let texture: Texture

    var level: MipLevel { texture.level }

    init?(_ image: Image?) {
        guard let image, let texture = image.pixels.flatMap({ TextureCache.shared.texture(for: $0) })
        else { return nil }
        self.init(image, texture: texture)
    }

    init(_ image: Image, texture: Texture) {
        self.image = image
        self.texture = texture
    }

    @MainActor func draw(in frame: CGRect, on snapshot: OpaquePointer) {
        var size = frame.size
        gtk_snapshot_save(snapshot)
        snapshot.translate(x: frame.midX, y: frame.midY)
        let rotation = image.imageOrientation.rotation
        // The image is mirrored before it is rotated, so the transforms are appended in reverse order.
        if rotation.degrees != 0 { gtk_snapshot_rotate(snapshot, rotation.degrees) }
        if rotation.isMirrored { gtk_snapshot_scale(snapshot, -1, 1) }
        if image.imageOrientation.swapsSides { size = CGSize(width: size.height, height: size.width) }
        snapshot.translate(x: -size.width / 2, y: -size.height / 2)
        texture.withPaintable { gdk_paintable_snapshot($0, snapshot, size.width, size.height) }
        gtk_snapshot_restore(snapshot)
    }
}

extension Image.Orientation {
    /// The transform that makes stored pixels upright: mirrored left to right, then rotated clockwise.
    fileprivate var rotation: (isMirrored: Bool, degrees: Float) {
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
