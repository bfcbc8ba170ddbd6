package import Foundation
package import KingfisherGTK

/// Browses photos: a grid, and one photo over the whole window.
@MainActor package final class PhotoBrowser: WidgetView {
    package let grid = PhotoGrid()
    package let photo = ImageView()
    private let back = Button(title: "Back")
    private let stack = gtk_stack_new()!

    package init() {
        super.init(wrapping: stack)
        photo.contentMode = .scaleAspectFit
        let page = gtk_overlay_new()!
        gtk_widget_set_halign(back.widget, GTK_ALIGN_START)
        gtk_widget_set_valign(back.widget, GTK_ALIGN_END)
        gtk_overlay_set_child(OpaquePointer(page), photo.widget)
        gtk_overlay_add_overlay(OpaquePointer(page), back.widget)
        gtk_stack_add_named(OpaquePointer(stack), grid.widget, "grid")
        gtk_stack_add_named(OpaquePointer(stack), page, "photo")
        grid.onOpen = { [weak self] in self?.open($0, thumbnail: $1) }
        back.onClick = { [weak self] in self?.close() }
        closeOnEscape(page)
    }

    isolated deinit {}

    /// Shows the images in a folder.
    package func browse(_ folder: URL) async {
        grid.photos = await Self.images(in: folder)
    }

    private func open(_ file: URL, thumbnail: Image?) {
        gtk_stack_set_visible_child_name(OpaquePointer(stack), "photo")
        photo.alternativeText = file.lastPathComponent
        photo.kf.setImage(
            with: file, placeholder: thumbnail, options: [.decodesToViewSize, .cacheMemoryOnly])
        gtk_widget_child_focus(back.widget, GTK_DIR_TAB_FORWARD)
    }

    private func close() {
        gtk_stack_set_visible_child_name(OpaquePointer(stack), "grid")
        photo.kf.prepareForReuse()
        grid.focus()
    }

    private func closeOnEscape(_ page: UnsafeMutablePointer<GtkWidget>) {
        let action = gtk_callback_action_new(
            { _, _, data in
                nonisolated(unsafe) let data = data
                MainActor.assumeIsolated {
                    Unmanaged<PhotoBrowser>.fromOpaque(data!).takeUnretainedValue().close()
                }
                return 1
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
        let controller = gtk_shortcut_controller_new()
        gtk_shortcut_controller_add_shortcut(
            controller, gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Escape"), action))
        gtk_widget_add_controller(page, controller)
    }

    @concurrent private static func images(in folder: URL) async -> [URL] {
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { ["jpg", "jpeg", "png", "gif"].contains($0.pathExtension.lowercased()) }
            .sorted { $0.path.localizedStandardCompare($1.path) == .orderedAscending }
    }
}
