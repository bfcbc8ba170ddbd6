import CGtk
import Foundation
import Kingfisher

/// The appearance of a view at one moment, as an immutable tree of GTK drawing operations.
@MainActor final class NodeSnapshot: ViewSnapshot {
    private let node: OpaquePointer
    private let size: CGSize

    /// Takes ownership of `node`, a GskRenderNode drawn by a view of `size`.
    init(_ node: OpaquePointer, size: CGSize) {
        self.node = node
        self.size = size
    }

    isolated deinit {
        gsk_render_node_unref(node)
    }

    func draw(on snapshot: OpaquePointer, size newSize: CGSize) {
        guard newSize != size, size.width > 0, size.height > 0 else {
            gtk_snapshot_append_node(snapshot, node)
            return
        }
        gtk_snapshot_save(snapshot)
        gtk_snapshot_scale(snapshot, Float(newSize.width / size.width), Float(newSize.height / size.height))
        gtk_snapshot_append_node(snapshot, node)
        gtk_snapshot_restore(snapshot)
    }
}
