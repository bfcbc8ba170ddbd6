import CGtk
import Foundation
import Kingfisher

/// A GtkSnapshot.
extension OpaquePointer {
    /// Appends what `body` draws in a view of `size`, turned as `pose` has it.
    ///
    /// In perspective the near side reaches beyond the view. That is not cut off, as cutting would blunt the
    /// corners that come forward; a widget with `overflow: hidden` around the view does so where it must be.
    @MainActor func draw(in pose: FlipPose, size: CGSize, projection: Projection, body: () -> Void) {
        guard pose.angle != 0 else { return body() }
        let isUpright = pose.axis == .vertical
        let breadth = pose.foreshortening * (isUpright ? size.width : size.height)
        // Half a point is too narrow to be seen. Far below that GL fails, and so does cairo where a pixel of
        // the screen covers 32,768 of the image's, and gives the whole frame up.
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
