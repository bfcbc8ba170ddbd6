package import Foundation
package import KingfisherGTK

/// Browses the photos of a folder: a grid, and a viewer over the whole window.
@MainActor package final class PhotoBrowser: WidgetView {
    package let grid = PhotoGrid()
    package let viewer: PhotoViewer
    /// What went wrong last; nil if nothing did.
    package var problem: String? {
        didSet {
            gtk_label_set_text(message.opaque, problem ?? "")
            gtk_widget_set_visible(messageBar, problem == nil ? 0 : 1)
        }
    }
    private let stack = gtk_stack_new()!
    private let (folderName, message) = (Widget.label(), Widget.label(wraps: true))
    private let messageBar: Widget

    package init() {
        viewer = PhotoViewer(of: grid)
        let open = Widget.button("folder-open-symbolic", "Open folder")
        let hide = Widget.button("window-close-symbolic", "Hide message")
        messageBar = .bar().with(message, hide)
        super.init(wrapping: .column().with(stack, messageBar))
        open.onSignal("clicked") { [weak self] _ in Task { await self?.selectFolder() } }
        hide.onSignal("clicked") { [weak self] _ in self?.problem = nil }
        gtk_stack_add_named(stack.opaque, .column().with(.bar().with(open, folderName), grid.widget), "grid")
        gtk_stack_add_named(stack.opaque, viewer.widget, "viewer")
        for widget in [stack, grid.widget] { gtk_widget_set_vexpand(widget, 1) }
        var role = GValue()
        g_value_init(&role, gtk_accessible_role_get_type())
        g_value_set_enum(&role, gint(GTK_ACCESSIBLE_ROLE_ALERT.rawValue))
        let object = UnsafeMutableRawPointer(message).assumingMemoryBound(to: GObject.self)
        g_object_set_property(object, "accessible-role", &role)
        gtk_widget_set_visible(messageBar, 0)
        grid.onOpen = { [weak self] in self?.open($0) }
        viewer.onProblem = { [weak self] in self?.problem = $0 }
        viewer.onClose = { [weak self] in self?.close() }
    }

    isolated deinit {}

    /// Shows the images in a folder.
    package func browse(_ folder: URL) async {
        let name = folder.lastPathComponent
        close()
        gtk_label_set_text(folderName.opaque, name)
        do {
            grid.photos = try await Self.images(in: folder)
            grid.focus(on: 0)
            problem = grid.photos.isEmpty ? "There are no photos in “\(name)”." : nil
        } catch {
            grid.photos = []
            problem = "“\(name)” cannot be opened. \(error.localizedDescription)"
        }
    }

    private func selectFolder() async {
        let root = UnsafeMutableRawPointer(gtk_widget_get_root(stack))
        let window = root?.assumingMemoryBound(to: GtkWindow.self)
        let folder = await ImageFileChooser(title: "Open folder").openFolder(from: window)
        if let folder { await browse(folder) }
    }

    private func open(_ position: Int) {
        gtk_stack_set_visible_child_name(stack.opaque, "viewer")
        viewer.show(position)
        viewer.focus()
    }

    private func close() {
        viewer.close()
        problem = nil
        gtk_stack_set_visible_child_name(stack.opaque, "grid")
        grid.focus(on: viewer.position)
    }

    /// The images in a folder, by name.
    @concurrent private static func images(in folder: URL) async throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { ImageCodecs.format(forFileExtension: $0.pathExtension) != nil }
            .sorted { $0.path.localizedStandardCompare($1.path) == .orderedAscending }
    }
}
