import CGtk
import Foundation
import Kingfisher

/// What a view showed at some moment, as GTK's tree of drawing operations.
///
/// Such a tree never changes, whatever becomes of the widgets that it was made of.
@MainActor final class NodeSnapshot: ViewSnapshot {
    private let node: OpaquePointer
    private let size: CGSize

    /// Takes over `node`, a GskRenderNode that a view of `size` has drawn.
    init(_ node: OpaquePointer, size: CGSize) {
        self.node = node
        self.size = size
    }

    isolated deinit {
        gsk_render_node_unref(node)
    }

    /// Appends it to `snapshot`, stretched over a view that has another size by now.
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
