import CGtk
import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherGTK

@Suite struct ScrollSpeedTests {
    private func speed(_ values: [Double], interval: Double = 1 / 60) -> ScrollSpeed {
        var speed = ScrollSpeed()
        for (index, value) in values.enumerated() {
            speed.frame(at: Double(index) * interval, value: value)
        }
        return speed
    }

    @Test("A constant movement has its speed in both directions, at any frame rate")
    func constant() {
        #expect(abs(speed((0..<30).map { Double($0) * 50 }).value - 3_000) < 1)
        #expect(abs(speed((0..<30).map { Double(-$0) * 50 }).value - 3_000) < 1)
        #expect(abs(speed((0..<30).map { Double($0) * 300 }, interval: 0.1).value - 3_000) < 1)
    }

    @Test("A jump has no speed, and the area is at rest ten frames later")
    func jump() {
        #expect(speed([5_000]).value == 0 && !speed([5_000]).isAtRest)
        #expect(!speed(Array(repeating: 5_000, count: 9)).isAtRest)
        let rest = speed(Array(repeating: 5_000, count: 10))
        #expect(rest.isAtRest && rest.value == 0)
        #expect(ScrollSpeed().isAtRest)
    }
}

extension GTKTests {
    @Suite(.serialized) @MainActor struct ScrollAreas {
        private let rig: LoadingRig
        private let window = TestWindow(width: 100, height: 300)

        init() throws { rig = try LoadingRig() }

        /// Shows a column of image views in a scrolled window, 100 points each.
        private func showColumn(
            of count: Int
        ) async throws -> (views: [ImageView], scroller: WidgetView) {
            let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
            let views = (0..<count).map { _ in ImageView() }
            for view in views {
                gtk_widget_set_size_request(view.widget, -1, 100)
                gtk_box_append(
                    UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), view.widget)
            }
            let scroller = gtk_scrolled_window_new()!
            gtk_scrolled_window_set_child(OpaquePointer(scroller), box)
            let view = WidgetView(wrapping: scroller)
            try #require(await window.present(view))
            #expect(await GTK.wait { views[0].renderer?.scrollPlace?.distance == 0 })
            return (views, view)
        }

        @Test("A view knows its distance from the visible part; without a scrolled window it has none")
        func distance() async throws {
            let (views, scroller) = try await showColumn(of: 20)
            let distances = views.map { $0.renderer?.scrollPlace?.distance }
            #expect(distances == (0..<20).map { max(0, CGFloat($0 - 3) * 100) })

            let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scroller.content))
            gtk_adjustment_set_value(adjustment, 1_000)
            #expect(await GTK.wait { views[0].renderer?.scrollPlace?.distance == 900 })
            #expect(views[10].renderer?.scrollPlace == ScrollPlace(distance: 0))

            let (other, view) = (TestWindow(), ImageView())
            try #require(await other.present(view))
            #expect(view.renderer?.scrollPlace == nil)
        }

        @Test("Views in a scrolled window load in the order of their distance")
        func nearestFirst() async throws {
            let (views, scroller) = try await showColumn(of: 40)
            let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scroller.content))
            gtk_adjustment_set_value(adjustment, 2_000)
            #expect(await GTK.wait { views[20].renderer?.scrollPlace?.distance == 0 })
            rig.transport.hold()
            let options = rig.options + [.forceRefresh]
            for (number, view) in views.enumerated() {
                view.kf.setImage(with: LoadingRig.url(number), options: options)
            }
            let visible = Set(20...22)
            func requests() -> [Int] {
                rig.transport.requests.compactMap { $0.url.flatMap { Int($0.lastPathComponent) } }
            }
            rig.transport.release()
            #expect(await GTK.wait { views.allSatisfy { $0.image != nil } })
            // Eight views above start immediately and fill the room.
            let order = requests()
            #expect(visible.isSubset(of: order.prefix(14)), "\(order)")
            let distances = order.filter { $0 >= 8 }.map { $0 < 20 ? 20 - $0 : max(0, $0 - 22) }
            // Six downloads at a time start in any order.
            let isOrdered = zip(distances, distances.sorted()).allSatisfy { abs($0 - $1) <= 3 }
            #expect(order.count == 40 && isOrdered, "\(order)")
        }

        @Test("A view that appears because the rows above are removed is noticed")
        func removedRows() async throws {
            let (views, scroller) = try await showColumn(of: 20)
            defer { withExtendedLifetime(scroller) {} }
            rig.transport.hold()
            views[8].kf.setImage(with: LoadingRig.url(8), options: rig.options + [.downloadPriority(1)])
            #expect(await GTK.wait { rig.transport.requests.count == 1 })
            var places: [CGFloat?] = []
            let view = PlaceProbe { places.append($0) }
            gtk_widget_set_size_request(view.widget, -1, 100)
            gtk_widget_insert_after(
                view.widget, gtk_widget_get_parent(views[8].widget), views[8].widget)
            #expect(await GTK.wait { (view.renderer?.scrollPlace?.distance ?? 0) > 0 })
            view.kf.setImage(with: LoadingRig.url(9), options: rig.options)
            for view in views[0..<8] { gtk_widget_set_visible(view.widget, 0) }
            #expect(await GTK.wait { places.last == 0 })
            rig.transport.release()
            #expect(await GTK.wait { views[8].image != nil && view.image != nil })
        }

        /// Records the distances of which it is notified.
        private final class PlaceProbe: ImageView {
            private var report: ((CGFloat?) -> Void)?

            convenience init(_ report: @escaping (CGFloat?) -> Void) {
                self.init(image: nil)
                self.report = report
            }

            override func scrollPlaceDidChange() {
                super.scrollPlaceDidChange()
                report?(renderer?.scrollPlace?.distance)
            }
        }

        @Test("The image views of a cell do not include placeholders and indicators")
        func cellViews() {
            let (cell, box, first, second) = (View(), View(), ImageView(), ImageView())
            cell.addSubview(first)
            cell.addSubview(box)
            box.addSubview(second)
            first.addSubview(ImageView())
            #expect(cell.imageViews == [first, second])
        }

        @Test("Cells of a list load when they appear, and others are not requested")
        func visibleOnly() async throws {
            let grid = FlingRig(count: 400) { [rig] view, position in
                view.kf.setImage(with: LoadingRig.url(position), options: rig.options)
            }
            #expect(rig.transport.requests.isEmpty)
            try #require(await grid.present())
            #expect(await GTK.wait { grid.visible.allSatisfy { $0.cell.image != nil } })
            let requested = Set(
                rig.transport.requests.compactMap { $0.url.flatMap { Int($0.lastPathComponent) } })
            #expect(requested == Set(grid.visible.map(\.position)))
            #expect(grid.cells.cells.count > requested.count)
        }

        @Test("A recycled cell is empty, and its load is cancelled")
        func recycling() async throws {
            rig.transport.hold()
            let placeholder = try Image.red
            let grid = FlingRig(count: 3_000) { [rig] (view: ImageView, position: Int) in
                #expect(view.image == nil && view.kf.taskIdentifier == nil)
                view.kf.setImage(
                    with: LoadingRig.url(position), placeholder: placeholder, options: rig.options)
            }
            try #require(await grid.present())
            let first = Set(grid.visible.map(\.position))
            #expect(await GTK.wait { rig.transport.liveTransfers >= 6 })
            grid.scroll(toItem: 2_999)
            #expect(await GTK.wait { grid.visible.contains { $0.position == 2_999 } })
            // The list keeps the cell that has the focus.
            let recycled = first.subtracting(grid.cells.cells.map(\.position))
            #expect(recycled.count >= first.count - 2)
            rig.transport.release()
            #expect(await GTK.wait { grid.visible.allSatisfy { $0.cell.kf.taskIdentifier == nil } })
            #expect(grid.visible.allSatisfy { $0.cell.image.flatMap(LoadingRig.number) == $0.position })
            // Cancelled before they had a response.
            #expect(recycled.allSatisfy { !rig.cache.isCached(forKey: LoadingRig.url($0).cacheKey) })
        }

        @Test("The factory lives as long as its lists, and releases its cells with them")
        func lifetime() async throws {
            let before = CountedImageView.alive
            do {
                let window = UnsafeMutableRawPointer(gtk_window_new()).assumingMemoryBound(to: GtkWindow.self)
                let items = gtk_string_list_new(nil)
                for _ in 0..<20 { gtk_string_list_append(items, "") }
                let list = CellFactory(make: { CountedImageView() }, fill: { _, _ in }).makeFactory()
                gtk_window_set_child(
                    window, gtk_list_view_new(gtk_no_selection_new(items), list))
                gtk_window_present(window)
                #expect(await GTK.wait { CountedImageView.alive > before })
                gtk_window_destroy(window)
            }
            #expect(await GTK.wait { CountedImageView.alive == before })
        }
    }
}
