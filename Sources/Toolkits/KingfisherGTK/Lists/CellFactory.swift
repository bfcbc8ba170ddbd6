import CGtk
import Foundation
public import Kingfisher

/// Makes, fills and recycles the cells of a GtkListView or GtkGridView.
///
///     let cells = CellFactory { view, position in
///         view.kf.setImage(with: photos[position], options: [.decodesToViewSize])
///     }
///     let items = gtk_no_selection_new(gtk_string_list_new(nil))
///     let grid = gtk_grid_view_new(items, cells.makeFactory())
///
/// A program keeps no state for its cells. When a cell is recycled, its loads are cancelled, its image views
/// are emptied, and images that its buttons have loaded are removed. Visible cells load first, then the
/// nearest ones; while the user scrolls fast, only images in memory are shown. The load of a cell that has
/// been out of sight for a second is cancelled, and starts again when the cell appears
/// (`kf.cancelOnDisappear`). Loads of buttons start at once.
@MainActor public final class CellFactory<Cell: ListCell> {
    private let recycler: CellRecycler
    private let factory: OpaquePointer
    private let fill: (Cell, Int) -> Void

    /// Creates a factory. All closures are called on the main thread.
    ///
    /// - Parameters:
    ///   - make: makes an empty cell.
    ///   - fill: shows the item at a position of the list's model in a cell. If items are inserted or removed
    ///     later, other cells may get other positions without a call.
    public init(make: @escaping () -> Cell, fill: @escaping (_ cell: Cell, _ position: Int) -> Void) {
        self.fill = fill
        recycler = CellRecycler(make: make) { cell, position in
            if let cell = cell as? Cell { fill(cell, position) }
        }
        factory = recycler.makeFactory()
    }

    /// Creates a factory of cells that are image views.
    public convenience init(
        fill: @escaping (_ view: ImageView, _ position: Int) -> Void
    ) where Cell == ImageView {
        self.init(make: { ImageView() }, fill: fill)
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(factory))
    }

    /// Returns a new reference to the GtkListItemFactory, as `gtk_list_view_new` and `gtk_grid_view_new` take
    /// it over. The lists keep the cells; this object may be released.
    public func makeFactory() -> OpaquePointer {
        g_object_ref(UnsafeMutableRawPointer(factory))
        return factory
    }

    /// The filled cells in the list and their positions, in no particular order. GTK fills up to 200 cells,
    /// most of them out of sight.
    public var cells: [(cell: Cell, position: Int)] {
        recycler.filled.compactMap { cell, position in (cell as? Cell).map { ($0, position) } }
    }

    /// Fills all cells again, visible ones first, then the nearest ones; for example after the items have
    /// changed without a change of the model.
    public func refill() {
        let ordered = cells.map { (cell: $0.cell, position: $0.position, distance: $0.cell.distance) }
            .sorted { ($0.distance, $0.position) < ($1.distance, $1.position) }
        for (cell, position, _) in ordered { fill(cell, position) }
    }
}

/// The cells of one factory, which the GtkListItemFactory retains.
@MainActor final class CellRecycler {
    private let make: () -> any ListCell
    private let fill: (any ListCell, Int) -> Void
    private var cells: [OpaquePointer: any ListCell] = [:]
    private var bound: Set<OpaquePointer> = []

    init(make: @escaping () -> any ListCell, fill: @escaping (any ListCell, Int) -> Void) {
        (self.make, self.fill) = (make, fill)
    }

    /// Positions are not stored: rows above may be inserted or removed. GTK 4.8 then fills a kept cell again,
    /// GTK 4.18 does not.
    var filled: [(cell: any ListCell, position: Int)] {
        bound.compactMap { item in
            guard let cell = cells[item], !cell.isRemoved else { return nil }
            return (cell, Int(gtk_list_item_get_position(item)))
        }
    }

    func makeFactory() -> OpaquePointer {
        let factory = gtk_signal_list_item_factory_new()!
        for (signal, callback) in [
            ("setup", itemSetUp), ("bind", itemBound), ("unbind", itemUnbound), ("teardown", itemTornDown),
        ] {
            g_signal_connect_data(
                UnsafeMutableRawPointer(factory), signal, unsafeBitCast(callback, to: GCallback.self),
                Unmanaged.passRetained(self).toOpaque(),
                { data, _ in Unmanaged<CellRecycler>.fromOpaque(data!).release() },
                GConnectFlags(rawValue: 0))
        }
        return factory
    }

    fileprivate func setUp(_ item: OpaquePointer) {
        let cell = make()
        for view in cell.imageViews {
            view.kf.loadsOnAppear = true
            if view.kf.cancelOnDisappear == nil { view.kf.cancelOnDisappear = .seconds(1) }
        }
        cells[item] = cell
        gtk_list_item_set_child(item, cell.widget)
    }

    fileprivate func bind(_ item: OpaquePointer) {
        guard let cell = cells[item] else { return }
        bound.insert(item)
        // The row of the list, which has the focus. Before the first "bind", the cell is in no row.
        if let row = gtk_widget_get_parent(cell.widget) { kf_gtk_set_labelled_by(row, cell.widget) }
        fill(cell, Int(gtk_list_item_get_position(item)))
    }

    fileprivate func unbind(_ item: OpaquePointer) {
        bound.remove(item)
        cells[item]?.empty()
    }

    fileprivate func tearDown(_ item: OpaquePointer) {
        bound.remove(item)
        cells.removeValue(forKey: item)?.empty()
        gtk_list_item_set_child(item, nil)
    }
}

extension ListCell {
    /// Whether the row has left its list. GTK 4.18 keeps a row that had the focus, with its former position,
    /// until the next frame.
    fileprivate var isRemoved: Bool {
        gtk_widget_get_parent(widget).map { gtk_widget_get_parent($0) == nil } ?? false
    }

    /// The distance from the visible part of the list in points; infinity if no image view is laid out.
    fileprivate var distance: CGFloat {
        imageViews.compactMap { view in
            guard let renderer = view.renderer, renderer.display.isVisible else { return nil }
            return renderer.scrollPlace?.distance ?? 0
        }.min() ?? .infinity
    }

    fileprivate func empty() {
        for view in imageViews { view.kf.prepareForReuse() }
        for button in ViewWidgetClass.views(in: widget).flatMap({ $0.outermost(Button.self) }) {
            button.kf.prepareForReuse()
        }
    }
}

private typealias ItemCallback = @convention(c) (OpaquePointer?, OpaquePointer?, gpointer?) -> Void

private let itemSetUp: ItemCallback = { withRecycler($2, $1) { $0.setUp($1) } }
private let itemBound: ItemCallback = { withRecycler($2, $1) { $0.bind($1) } }
private let itemUnbound: ItemCallback = { withRecycler($2, $1) { $0.unbind($1) } }
private let itemTornDown: ItemCallback = { withRecycler($2, $1) { $0.tearDown($1) } }

private func withRecycler(
    _ data: gpointer?, _ item: OpaquePointer?, _ body: @MainActor (CellRecycler, OpaquePointer) -> Void
) {
    nonisolated(unsafe) let (data, item) = (data, item)
    MainActor.assumeIsolated {
        body(Unmanaged<CellRecycler>.fromOpaque(data!).takeUnretainedValue(), item!)
    }
}
