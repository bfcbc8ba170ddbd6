import CGtk
import Foundation
import Kingfisher

extension OpaquePointer {
    @MainActor func draw(
        _ effect: TransitionEffect, at progress: Double, size: CGSize, projection: Projection,
        from: () -> Void, to: () -> Void
    ) {
        switch effect {
        case .none:
            to()
        case .crossDissolve:
            gtk_snapshot_push_cross_fade(self, progress)
            from()
            gtk_snapshot_pop(self)
            to()
            gtk_snapshot_pop(self)
        case .flip(let direction):
            let pose = FlipPose(direction, progress: progress)
            draw(in: pose, size: size, projection: projection, body: pose.showsNew ? to : from)
        }
    }
}
