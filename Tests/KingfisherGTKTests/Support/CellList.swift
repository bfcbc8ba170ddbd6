import CGtk
import Kingfisher
import KingfisherGTK

/// A GtkListView that reuses image views as cells.
@MainActor final class CellList {
    /// The view of each bound cell and the index of the image that it must show.
    private(set) var cells: [OpaquePointer: (view: ImageView, index: Int)] = [:]
    private(set) var mostCells = 0
    private(set) var binds = 0
    private let scroller: UnsafeMutablePointer<GtkWidget>
    private let window = UnsafeMutableRawPointer(gtk_window_new()).assumingMemoryBound(to: GtkWindow.self)
    private let load: (ImageView, Int) -> Void
    private var views: [OpaquePointer: ImageView] = [:]

    init(count: Int, load: @escaping (ImageView, Int) -> Void) {
        self.load = load
        scroller = gtk_scrolled_window_new()
        let strings = gtk_string_list_new(nil)
        for index in 0..<count { gtk_string_list_append(strings, "\(index)") }
        let factory = gtk_signal_list_item_factory_new()
        connect(factory, "setup") { _, item, data in CellList.of(data) { $0.setUp(item!) } }
        connect(factory, "bind") { _, item, data in CellList.of(data) { $0.bind(item!) } }
        connect(factory, "unbind") { _, item, data in CellList.of(data) { $0.cells[item!] = nil } }
        connect(factory, "teardown") { _, item, data in CellList.of(data) { $0.views[item!] = nil } }
        let list = gtk_list_view_new(gtk_no_selection_new(strings), factory)
        gtk_scrolled_window_set_child(OpaquePointer(scroller), list)
        gtk_window_set_default_size(window, 240, 320)
        gtk_window_set_child(window, scroller)
    }

    func present() async -> Bool {
        gtk_window_present(window)
        return await GTK.wait { !self.cells.isEmpty && gtk_widget_get_mapped(self.scroller) != 0 }
    }

    func close() { gtk_window_destroy(window) }

    /// The scroll position: 0 is the top, 1 the bottom.
    var position: Double = 0 {
        didSet {
            let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scroller))
            let room = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
            gtk_adjustment_set_value(adjustment, room * position)
        }
    }

    private func setUp(_ item: OpaquePointer) {
        let view = ImageView()
        gtk_widget_set_size_request(view.widget, -1, 64)
        gtk_list_item_set_child(item, view.widget)
        views[item] = view
    }

    private func bind(_ item: OpaquePointer) {
        guard let view = views[item] else { return }
        let index = Int(gtk_list_item_get_position(item))
        cells[item] = (view, index)
        binds += 1
        mostCells = max(mostCells, cells.count)
        load(view, index)
    }

    private typealias Handler = @convention(c) (OpaquePointer?, OpaquePointer?, gpointer?) -> Void

    private func connect(_ factory: OpaquePointer?, _ signal: String, _ handler: Handler) {
        g_signal_connect_data(
            UnsafeMutableRawPointer(factory), signal, unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    private nonisolated static func of(_ data: gpointer?, _ body: @MainActor (CellList) -> Void) {
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated { body(Unmanaged<CellList>.fromOpaque(data!).takeUnretainedValue()) }
    }
}
