import KingfisherGTK

/// The window: a page of pictures that load, and the contact sheet.
@MainActor final class GalleryWindow {
    let gallery: Page
    let sheet: Page
    private let window: UnsafeMutablePointer<GtkWindow>
    private let stack: OpaquePointer
    private(set) var isOpen = true

    init(in application: UnsafeMutablePointer<GtkApplication>, exhibits: [Exhibit]) {
        Style.install()
        gallery = Page(
            title: "Kingfisher for Linux: \(exhibits.count) pictures through various processors",
            cells: exhibits.map { Cell(caption: $0.caption) })
        sheet = Page(
            title: "Contact sheet: each picture from the server (cache type none), from disk, from memory",
            cells: exhibits.map { Cell(caption: $0.caption, figures: 3) })
        let pages = gtk_stack_new()!
        stack = OpaquePointer(pages)
        gtk_stack_add_titled(stack, gallery.widget, "gallery", "Gallery")
        gtk_stack_add_titled(stack, sheet.widget, "sheet", "Contact sheet")

        window = cast(gtk_application_window_new(application))
        gtk_window_set_title(window, "Kingfisher gallery")
        gtk_window_set_titlebar(window, makeHeader())
        gtk_window_set_child(window, pages)
        connect(window, "destroy") { [weak self] in self?.isOpen = false }
    }

    /// Called when the user wants to see the pictures load once more.
    var onReload: (@MainActor () -> Void)?

    func present(_ page: Page) {
        guard isOpen else { return }
        gtk_stack_set_visible_child(stack, page.widget)
        gtk_window_present(window)
    }

    func close() {
        if isOpen { gtk_window_destroy(window) }
    }

    private func makeHeader() -> Widget {
        let header = gtk_header_bar_new()!
        let switcher = gtk_stack_switcher_new()!
        gtk_stack_switcher_set_stack(OpaquePointer(switcher), stack)
        gtk_header_bar_set_title_widget(OpaquePointer(header), switcher)
        let button = gtk_button_new_with_label("Load again")!
        connect(button, "clicked") { [weak self] in self?.onReload?() }
        gtk_header_bar_pack_start(OpaquePointer(header), button)
        return header
    }
}
