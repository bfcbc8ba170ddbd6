import CGtk
import Kingfisher

/// What a view showed at some moment, as GTK's tree of drawing operations.
@MainActor final class NodeSnapshot: ViewSnapshot {
    private let node: OpaquePointer

    /// Takes over `node`, a GskRenderNode.
    init(_ node: OpaquePointer) {
        self.node = node
    }

    isolated deinit {
        gsk_render_node_unref(node)
    }

    /// Appends it to `snapshot`.
    func draw(on snapshot: OpaquePointer) {
        gtk_snapshot_append_node(snapshot, node)
    }
}
