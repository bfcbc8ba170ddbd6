import CGtk
import Foundation
import Kingfisher

extension OpaquePointer {
    @MainActor func draw(with presentation: ViewPresentation, size: CGSize, body: () -> Void) {
        guard presentation.alpha > 0, presentation.transform.isVisible else { return }
        let (isFaint, isMoved) = (presentation.alpha < 1, !presentation.transform.isIdentity)
        if isFaint { gtk_snapshot_push_opacity(self, presentation.alpha) }
        if isMoved {
            gtk_snapshot_save(self)
            translate(x: size.width / 2, y: size.height / 2)
            apply(presentation.transform)
            translate(x: -size.width / 2, y: -size.height / 2)
        }
        body()
        if isMoved { gtk_snapshot_restore(self) }
        if isFaint { gtk_snapshot_pop(self) }
    }

    /// Applies rotation, skew and scale separately, because the cairo renderer paints a plain matrix solid
    /// pink.
    private func apply(_ transform: CGAffineTransform) {
        let parts = TransformParts(transform)
        translate(x: parts.translation.x, y: parts.translation.y)
        gtk_snapshot_rotate(self, Float(parts.angle * 180 / .pi))
        if parts.shear != 0 {
            let skew = gsk_transform_skew(nil, Float(atan(parts.shear / parts.scaleY) * 180 / .pi), 0)
            gtk_snapshot_transform(self, skew)
            gsk_transform_unref(skew)
        }
        gtk_snapshot_scale(self, Float(parts.scaleX), Float(parts.scaleY))
    }
}

extension CGAffineTransform {
    fileprivate var isVisible: Bool {
        // GTK stores the values as `Float`.
        [a, b, c, d, tx, ty].allSatisfy { Float($0).isFinite } && abs(a * d - b * c) > 1e-9
    }
}
