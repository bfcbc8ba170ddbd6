import CGtk
import Foundation
import Kingfisher
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Cells that contain more than an image, and lists whose items change.
    @Suite(.serialized) @MainActor struct Cells {
        private let rig: LoadingRig

        init() throws { rig = try LoadingRig() }

        /// As the recipe `AvatarRow`, with two buttons.
        private final class Row: ListCell {
            let avatar = ImageView()
            let cover = Button()
            let star = Button()
            let texts = Label()
            private let content: View

            init() { content = column(avatar, column(texts, cover), star, isRow: true) }

            var widget: UnsafeMutablePointer<GtkWidget> { content.widget }

            var imageViews: [ImageView] { content.imageViews }

            var isEmpty: Bool { avatar.image == nil && cover.image == nil }
        }

        @Test("The image views in wrapped widgets are those of the cell, but not those that draw a button")
        func wrappedViews() {
            let (first, second, third, button) = (ImageView(), ImageView(), ImageView(), Button())
            first.addSubview(column(ImageView()))
            button.setImage(try? .red, for: .normal)
            let cell = View()
            cell.addSubview(column(first, Label("Name"), column(View(), second, button), isRow: true))
            cell.addSubview(third)
            #expect(cell.imageViews == [first, second, third])
            #expect(cell.outermost(Button.self) == [button])
        }

        @Test("A recycled row is empty, except for an image that its button has not loaded")
        func recycledRow() async throws {
            let star = try Image.red
            var (rows, states): ([Row], [Bool]) = ([], [])
            let list = TestList((0..<600).map(String.init)) {
                let row = Row()
                row.star.setImage(star, for: .normal)
                gtk_widget_set_size_request(row.avatar.widget, 16, 16)
                rows.append(row)
                return row
            } fill: { [rig] row, name in
                states.append(row.isEmpty && row.avatar.kf.loadsOnAppear)
                let url = LoadingRig.url(Int(name) ?? 0)
                row.avatar.kf.setImage(with: url, options: rig.options)
                row.cover.kf.setImage(with: url, for: .normal, options: rig.options)
            }
            try #require(await list.present())
            #expect(await GTK.wait { list.cells.cells.allSatisfy { $0.cell.cover.image != nil } })
            #expect(await GTK.wait { rows.count { $0.avatar.image != nil } > 3 })
            list.scroll(toItem: 599)
            #expect(await GTK.wait { list.cells.cells.contains { $0.position == 599 } })
            #expect(rows.count < states.count && states.allSatisfy(\.self))
            list.splice(at: 0, removing: 600, inserting: [])
            // GTK 4.18 keeps the row with the focus until the next frame.
            #expect(await GTK.wait { rows.allSatisfy { $0.isEmpty && $0.star.image === star } })
        }

        @Test("A list is filled again from its visible part outwards")
        func refillOrder() async throws {
            let grid = FlingRig(count: 600) { _, _ in }
            try #require(await grid.present())
            grid.scroll(toItem: 300)
            #expect(await GTK.wait { grid.visible.contains { $0.position == 300 } })
            let visible = grid.visible.map(\.position)
            let before = grid.filled.count
            grid.cells.refill()
            let order = grid.filled.dropFirst(before)
            #expect(order.count == grid.cells.cells.count && order.count > visible.count)
            #expect(order.prefix(visible.count).sorted() == visible.sorted())
        }

        @Test("After an insertion and a removal, each cell has the position and the content of its item")
        func positions() async throws {
            let list = TestList(["a", "b", "c", "d"]) {
                Label()
            } fill: { label, name in
                label.text = name
            }
            try #require(await list.present())
            func expectInStep() {
                let cells = list.cells.cells
                #expect(cells.map(\.position).sorted() == Array(list.names.indices))
                for (cell, position) in cells { #expect(cell.text == list.names[position]) }
            }
            expectInStep()
            list.splice(at: 0, removing: 0, inserting: ["new"])
            expectInStep()
            list.cells.refill()
            expectInStep()
            list.splice(at: 0, removing: 2, inserting: [])
            expectInStep()
            list.cells.refill()
            expectInStep()
        }
    }
}

/// A window with a GtkListView of named items.
@MainActor private final class TestList<Cell: ListCell> {
    let cells: CellFactory<Cell>
    var names: [String] { items.names }
    private let items: Items
    private let list: UnsafeMutablePointer<GtkWidget>
    private let window = TestWindow(width: 300, height: 300)

    private final class Items {
        private(set) var names: [String] = []
        let model = gtk_string_list_new(nil)

        func splice(at index: Int, removing count: Int, inserting new: [String]) {
            names.replaceSubrange(index..<index + count, with: new)
            let copies = new.map { strdup($0) }
            let additions: [UnsafePointer<CChar>?] = copies.map { UnsafePointer($0) } + [nil]
            gtk_string_list_splice(model, guint(index), guint(count), additions)
            copies.forEach { free($0) }
        }
    }

    init(_ names: [String], make: @escaping () -> Cell, fill: @escaping (Cell, String) -> Void) {
        let items = Items()
        items.splice(at: 0, removing: 0, inserting: names)
        self.items = items
        cells = CellFactory(make: make) { cell, position in
            fill(cell, items.names.indices.contains(position) ? items.names[position] : "none")
        }
        list = gtk_list_view_new(gtk_no_selection_new(items.model), cells.makeFactory())
    }

    func present() async -> Bool {
        let scroller = gtk_scrolled_window_new()!
        gtk_scrolled_window_set_child(OpaquePointer(scroller), list)
        return await window.present(WidgetView(wrapping: scroller))
    }

    func scroll(toItem position: UInt32) {
        gtk_widget_activate_action_variant(list, "list.scroll-to-item", g_variant_new_uint32(position))
    }

    func splice(at index: Int, removing count: Int, inserting new: [String]) {
        items.splice(at: index, removing: count, inserting: new)
    }
}
