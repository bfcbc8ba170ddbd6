import CAdwaita
import KingfisherGTK

/// The window: a sidebar of pages and the selected page, side by side, or one at a time if the window is
/// narrow.
@MainActor final class GalleryWindow {
    let widget: Widget
    private let pages: [any GalleryPage]
    /// The whole content of the window, including the header.
    var content: Widget { leaflet }
    private let leaflet = adw_leaflet_new()!
    private let body = Widget.column().expanding()
    private let stack = gtk_stack_new()!
    private let title = adw_window_title_new("", "")!
    private let actionContent = adw_button_content_new()!
    private let networkMenu: NetworkMenu
    private lazy var sidebar = Sidebar(pages: pages) { [weak self] in self?.show($0) }
    private var shown = 0

    init(in application: UnsafeMutablePointer<GtkApplication>, pages: [any GalleryPage], server: PhotoServer)
    {
        self.pages = pages
        networkMenu = NetworkMenu(server: server)
        widget = adw_application_window_new(application)
        gtk_window_set_title(widget.cast(), "Kingfisher Gallery")
        gtk_window_set_default_size(widget.cast(), 1180, 800)
        for page in pages { gtk_stack_add_child(stack.opaque, page.widget) }
        gtk_stack_set_transition_type(stack.opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
        gtk_stack_set_hhomogeneous(stack.opaque, 0)
        body.append(makeHeader())
        body.append(stack.expanding())
        fillLeaflet()
        adw_application_window_set_content(widget.cast(), leaflet)
    }

    private func fillLeaflet() {
        adw_leaflet_set_can_navigate_back(leaflet.opaque, 1)
        adw_leaflet_append(leaflet.opaque, sidebar.widget)
        let line = adw_leaflet_append(leaflet.opaque, gtk_separator_new(GTK_ORIENTATION_VERTICAL))
        adw_leaflet_page_set_navigatable(line, 0)
        adw_leaflet_append(leaflet.opaque, body)
        adw_leaflet_set_visible_child(leaflet.opaque, body)
        sidebar.follow(leaflet: leaflet)
        connect(leaflet, "notify::folded") { [weak self] (_: OpaquePointer) in self?.updateHeader() }
    }

    private func makeHeader() -> Widget {
        let header = adw_header_bar_new()!.styled("flat")
        adw_header_bar_set_title_widget(header.opaque, title)
        let back = Widget.button(icon: "go-previous-symbolic", tooltip: "Pages") { [leaflet] in
            adw_leaflet_navigate(leaflet.opaque, ADW_NAVIGATION_DIRECTION_BACK)
        }
        g_object_bind_property(leaflet, "folded", back, "visible", cadwaita_sync_create)
        g_object_bind_property(leaflet, "folded", header, "show-start-title-buttons", cadwaita_sync_create)
        adw_header_bar_pack_start(header.opaque, back)
        let action = gtk_button_new()!
        gtk_button_set_child(action.cast(), actionContent)
        connect(action, "clicked") { [weak self] in
            guard let self else { return }
            pages[shown].action.run()
        }
        adw_header_bar_pack_start(header.opaque, action)
        adw_header_bar_pack_end(header.opaque, networkMenu.widget)
        return header
    }

    func present() {
        gtk_window_present(widget.cast())
    }

    func show(_ index: Int) {
        shown = index
        let page = pages[index]
        sidebar.select(index)
        updateHeader()
        gtk_stack_set_visible_child(stack.opaque, page.widget)
        adw_leaflet_navigate(leaflet.opaque, ADW_NAVIGATION_DIRECTION_FORWARD)
        page.appear()
    }

    private func updateHeader() {
        let page = pages[shown]
        let isNarrow = adw_leaflet_get_folded(leaflet.opaque) != 0
        adw_window_title_set_title(title.opaque, page.title)
        adw_window_title_set_subtitle(title.opaque, isNarrow ? "" : page.subtitle)
        adw_button_content_set_icon_name(actionContent.opaque, page.action.icon)
        adw_button_content_set_label(actionContent.opaque, isNarrow ? "" : page.action.title)
        actionContent.explained(page.action.title)
    }

    func resize(width: Int32, height: Int32) {
        gtk_window_set_default_size(widget.cast(), width, height)
    }

    var width: Int { Int(gtk_widget_get_width(widget)) }

    /// Waits until the window's animations have ended and all of it has been drawn.
    func settle() async throws {
        try await widget.waitUntilDrawn()
        try await wait(for: "the end of the page transition") {
            gtk_stack_get_transition_running(stack.opaque) == 0 && isLeafletAtRest
        }
        try await widget.waitUntilDrawn()
    }

    private var isLeafletAtRest: Bool {
        var place = graphene_rect_t()
        guard adw_leaflet_get_child_transition_running(leaflet.opaque) == 0,
            gtk_widget_compute_bounds(body, leaflet, &place) != 0
        else { return false }
        // The leaflet does not report folding; the page slides to the edge in the meantime.
        return adw_leaflet_get_folded(leaflet.opaque) == 0 || place.origin.x == 0
    }
}
