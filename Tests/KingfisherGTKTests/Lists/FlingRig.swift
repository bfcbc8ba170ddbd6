import CGtk
import Foundation
import Kingfisher
import KingfisherGTK

/// A window with a GtkGridView of image views, made by a `CellFactory`, that scrolls at a constant speed.
@MainActor final class FlingRig {
    let cells: CellFactory<ImageView>
    /// The positions of all cells that were filled, in order.
    private(set) var filled: [Int] = []
    private let grid: UnsafeMutablePointer<GtkWidget>
    private let scroller = gtk_scrolled_window_new()!
    private let window = UnsafeMutableRawPointer(gtk_window_new()).assumingMemoryBound(to: GtkWindow.self)

    init(count: Int, fill: @escaping (ImageView, Int) -> Void) {
        let strings = gtk_string_list_new(nil)
        for index in 0..<count { gtk_string_list_append(strings, "\(index)") }
        weak var rig: FlingRig?
        cells = CellFactory {
            let view = ImageView()
            gtk_widget_set_size_request(view.widget, 120, 90)
            return view
        } fill: { view, position in
            rig?.filled.append(position)
            fill(view, position)
        }
        grid = gtk_grid_view_new(gtk_no_selection_new(strings), cells.makeFactory())
        gtk_grid_view_set_max_columns(OpaquePointer(grid), 6)
        gtk_scrolled_window_set_child(OpaquePointer(scroller), grid)
        gtk_window_set_default_size(window, 800, 600)
        gtk_window_set_child(window, scroller)
        rig = self
    }

    isolated deinit { gtk_window_destroy(window) }

    func present() async -> Bool {
        gtk_window_present(window)
        return await GTK.wait { self.visible.count > 10 }
    }

    private var adjustment: UnsafeMutablePointer<GtkAdjustment> {
        gtk_scrolled_window_get_vadjustment(OpaquePointer(scroller))
    }

    var range: Double {
        gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
    }

    /// The scroll position in points.
    var position: Double {
        get { gtk_adjustment_get_value(adjustment) }
        set { gtk_adjustment_set_value(adjustment, newValue) }
    }

    func scroll(toItem position: UInt32) {
        gtk_widget_activate_action_variant(grid, "list.scroll-to-item", g_variant_new_uint32(position))
    }

    /// The filled cells that are at least partly visible.
    var visible: [(cell: ImageView, position: Int)] {
        cells.cells.filter { cell, _ in
            cell.renderer?.display.isVisible == true && cell.renderer?.scrollPlace?.distance == 0
        }
    }

    var probe: FrameProbe? { visible.first.flatMap { FrameProbe($0.cell) } }

    /// Scrolls down at `speed` points per second until `distance` is reached, in steps of the frame clock.
    func fling(at speed: Double, over distance: Double, with probe: FrameProbe) async {
        let (start, began) = (position, ContinuousClock.now)
        probe.restart()
        while true {
            let moved = (ContinuousClock.now - began) / .seconds(1) * speed
            position = start + min(moved, distance)
            guard moved < distance else { return }
            await probe.frames(probe.frames.count + 1)
        }
    }
}

extension [Double] {
    /// The value that 99 of 100 values do not exceed.
    var percentile99: Double { isEmpty ? 0 : sorted()[Swift.min(count - 1, count * 99 / 100)] }
}
