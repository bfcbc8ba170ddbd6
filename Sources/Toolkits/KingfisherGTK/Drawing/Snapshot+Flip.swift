import CGtk
import Foundation
import Kingfisher

extension OpaquePointer {
    /// Appends what `body` draws in a view of `size`, rotated by `pose`.
    ///
    /// In perspective the near side extends beyond the view. It is not clipped, because that would cut the
    /// corners; a surrounding widget with `overflow: hidden` clips where necessary.
    @MainActor func draw(in pose: FlipPose, size: CGSize, projection: Projection, body: () -> Void) {
        guard pose.angle != 0 else { return body() }
        let isUpright = pose.axis == .vertical
        let breadth = pose.foreshortening * (isUpright ? size.width : size.height)
        // Less than half a point is invisible. Far below that GL fails, and cairo drops the whole frame once
        // a device pixel covers 32,768 image pixels.
        guard breadth > 0.5 else { return }
        gtk_snapshot_save(self)
        translate(x: size.width / 2, y: size.height / 2)
        switch projection {
        case .perspective:
            gtk_snapshot_perspective(self, Float(FlipPose.eyeDistance(from: size)))
            gtk_snapshot_rotate_3d(
                self, Float(pose.angle), isUpright ? graphene_vec3_y_axis() : graphene_vec3_x_axis())
        case .flat:
            let scale = Float(pose.foreshortening)
            gtk_snapshot_scale(self, isUpright ? scale : 1, isUpright ? 1 : scale)
        }
        translate(x: -size.width / 2, y: -size.height / 2)
        body()
        gtk_snapshot_restore(self)
    }
}
