import CGtk
import Kingfisher
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The widgets of subviews in the widget of their superview.
    @Suite(.serialized) @MainActor struct Subviews {
        let window = TestWindow()
        let view = ImageView()

        private func present(_ first: View, beside second: View) async throws -> WidgetView {
            let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
            for widget in [first.widget, second.widget] {
                gtk_widget_set_vexpand(widget, 1)
                gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), widget)
            }
            let owner = WidgetView(wrapping: box)
            try #require(await window.present(owner))
            return owner
        }

        @Test("A subview whose widget has another parent stays there")
        func subviewInOtherParent() async throws {
            let child = ImageView(image: try .blue)
            let box = try await present(view, beside: child)
            view.addSubview(child)
            child.placement = .center()
            #expect(view.subviews.first === child)
            #expect(gtk_widget_get_parent(child.widget) == box.content)
            #expect(gtk_widget_get_first_child(view.widget) == nil)
            #expect(try await Screenshot.take(of: box).box(of: "ff0000ff") != nil)
            child.removeFromSuperview()
            #expect(gtk_widget_get_parent(child.widget) == box.content)
            #expect(try await Screenshot.take(of: child).box(of: "ff0000ff") != nil)
        }

        @Test("A subview in another window stays there")
        func subviewInOtherWindow() async throws {
            let (other, child) = (TestWindow(), ImageView(image: try .blue))
            view.image = try .red
            try #require(await window.present(view))
            try #require(await other.present(child))
            view.addSubview(child)
            let shot = try await Screenshot.take(of: view)
            #expect(shot.box(of: "ff0000ff") == nil && shot.box(of: "ffff0000") != nil)
            child.removeFromSuperview()
            #expect(gtk_widget_get_parent(child.widget) == other.widget)
            #expect(try await Screenshot.take(of: child).box(of: "ff0000ff") != nil)
        }

        @Test("A subview whose widget was unparented is not drawn and can be added again")
        func unparentedSubview() async throws {
            let children = [ImageView(image: try .blue), ImageView(image: try .red)]
            for child in children { view.addSubview(child) }
            try #require(await window.present(view))
            gtk_widget_unparent(children[1].widget)
            #expect(try await Screenshot.take(of: view).box(of: "ff0000ff") != nil)
            children[1].removeFromSuperview()
            view.addSubview(children[1])
            #expect(try await Screenshot.take(of: view).box(of: "ffff0000") != nil)
        }

        @Test("Adding or moving a subview changes only its own widget")
        func widgetOrder() {
            let children = (0..<20).map { _ in View() }
            for child in children { view.addSubview(child) }
            let list = UnsafeMutableRawPointer(gtk_widget_observe_children(view.widget))!
            var changes = 0
            let count: @convention(c) (OpaquePointer?, guint, guint, guint, gpointer?) -> Void = {
                $4!.assumingMemoryBound(to: Int.self).pointee += 1
            }
            withUnsafeMutablePointer(to: &changes) { changes in
                let handler = g_signal_connect_data(
                    list, "items-changed", unsafeBitCast(count, to: GCallback.self), changes, nil,
                    GConnectFlags(rawValue: 0))
                children[3].placement = .center()
                #expect(changes.pointee == 0)
                view.insertSubview(View(), at: 10)
                #expect(changes.pointee == 1)
                // Moving to the front does not remove it first.
                view.addSubview(children[0])
                #expect(changes.pointee == 2)
                g_signal_handler_disconnect(list, handler)
            }
            g_object_unref(list)
            var (found, next) = ([UnsafeMutablePointer<GtkWidget>](), gtk_widget_get_first_child(view.widget))
            while let widget = next {
                found.append(widget)
                next = gtk_widget_get_next_sibling(widget)
            }
            #expect(found == view.subviews.map(\.widget))
        }

        @Test("A view takes the height for its width from a label that fills it")
        func heightForWidth() {
            let label = Label("It takes a long time to load so large an image")
            label.numberOfLines = 0
            view.addSubview(label)
            func height(_ widget: UnsafeMutablePointer<GtkWidget>) -> Int32 {
                var natural: Int32 = 0
                gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, 120, nil, &natural, nil, nil)
                return natural
            }
            let own = height(label.widget)
            #expect(gtk_widget_get_request_mode(view.widget) == GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH)
            #expect(own > 20 && height(view.widget) == own)
            for change in [
                { label.placement = .center() }, { (label.placement, label.isHidden) = (.fill, true) },
            ] {
                change()
                #expect(gtk_widget_get_request_mode(view.widget) == GTK_SIZE_REQUEST_CONSTANT_SIZE)
                #expect(height(view.widget) == 0)
            }
        }
    }
}
