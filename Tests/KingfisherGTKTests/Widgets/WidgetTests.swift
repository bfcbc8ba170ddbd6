import CGLibMainHook
import CGtk
import Kingfisher
@testable import KingfisherGTK
import Testing

extension GTKTests {
    @Suite(.serialized) @MainActor struct Lifetime {
        @Test("A released view destroys its widget")
        func releasedView() async {
            weak var view: View?
            let widget = WidgetWatch()
            do {
                let new = ImageView()
                view = new
                widget.watch(new)
            }
            #expect(await GTK.wait { view == nil })
            #expect(widget.isDestroyed)
        }

        /// A view lives until the next iteration of the main loop after its widget was accessed.
        @Test("The widget of a temporary view is valid until it is added to a window")
        func temporaryView() async {
            let window = TestWindow()
            window.show(ImageView())
            for _ in 0..<5 { await GTK.iterate() }
            let alive = WidgetWatch()
            weak var view: View?
            do {
                let new = ImageView()
                view = new
                alive.watch(new)
                window.show(new)
            }
            for _ in 0..<5 { await GTK.iterate() }
            #expect(view != nil && !alive.isDestroyed)
        }

        @Test("A window retains its view until it shows another")
        func windowRetainsView() async throws {
            let window = TestWindow()
            weak var view: View?
            do {
                let new = ImageView(image: try .red)
                view = new
                try #require(await window.present(new))
            }
            for _ in 0..<10 { await GTK.iterate() }
            #expect(view != nil)
            window.show(nil)
            #expect(await GTK.wait { view == nil })
        }

        @Test("A closed window releases its view")
        func closedWindow() async throws {
            let window = TestWindow()
            weak var view: View?
            do {
                let new = ImageView()
                new.kf.indicatorType = .activity
                new.kf.indicator?.startAnimatingView()
                view = new
                try #require(await window.present(new))
            }
            window.close()
            #expect(await GTK.wait { view == nil })
        }

        @Test("A view outlives its window and can be shown in another")
        func viewOutlivesWindow() async throws {
            let window = TestWindow()
            let view = ImageView()
            try #require(await window.present(view))
            window.close()
            for _ in 0..<10 { await GTK.iterate() }
            #expect(gtk_widget_get_parent(view.widget) == nil)
            view.image = try .red
            #expect(Drawing(of: view, width: 4, height: 4)[1, 1] == "ffff0000")
            let other = TestWindow()
            #expect(await other.present(view))
        }

        @Test("The last release on another thread destroys the widget on the main thread")
        func lastReleaseOnAnotherThread() async {
            let widget = WidgetWatch()
            var view: ImageView? = ImageView()
            widget.watch(view!)
            for _ in 0..<5 { await GTK.iterate() }
            let last = Unmanaged.passRetained(view!)
            view = nil
            #expect(!widget.isDestroyed)
            await Task.detached { last.release() }.value
            #expect(await GTK.wait { widget.isDestroyed })
            #expect(widget.wasDestroyedOnMainThread)
        }

        @Test("A thousand views destroy their widgets")
        func manyViews() async throws {
            let before = WidgetWatch.alive
            let (red, blue) = (try Image.red, try Image.blue)
            for _ in 0..<1000 {
                let view = ImageView(image: red)
                view.kf.indicatorType = .activity
                WidgetWatch().watch(view)
                _ = Drawing(of: view, width: 8, height: 8)
                view.transition(.fade(1)) { view.image = blue }
            }
            #expect(await GTK.wait { WidgetWatch.alive == before })
        }
    }

    @Suite(.serialized) @MainActor struct Widgets {
        let window = TestWindow()
        let view = ImageView()

        @Test("The natural size is the size of the image in points")
        func naturalSize() throws {
            view.image = try .solid([1, 2, 3, 255], width: 31, height: 20, scale: 2)
            var (minimum, natural): (Int32, Int32) = (0, 0)
            gtk_widget_measure(view.widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, nil, nil)
            #expect(minimum == 0 && natural == 16)
            gtk_widget_measure(view.widget, GTK_ORIENTATION_VERTICAL, -1, &minimum, &natural, nil, nil)
            #expect(minimum == 0 && natural == 10)
        }

        @Test("A spinner is shown at the center while it is active")
        func spinner() async throws {
            view.image = try .red
            view.kf.indicatorType = .activity
            let indicator = try #require(view.kf.indicator)
            try #require(await window.present(view))
            let spinner = indicator.view.widget
            #expect(gtk_widget_get_parent(spinner) == view.widget)
            #expect(gtk_widget_get_mapped(spinner) == 0)

            indicator.startAnimatingView()
            #expect(kf_gtk_get_boolean(spinner, "spinning") != 0)
            #expect(
                await GTK.wait { gtk_widget_get_mapped(spinner) != 0 && gtk_widget_get_width(spinner) > 0 })
            var frame = graphene_rect_t()
            #expect(gtk_widget_compute_bounds(spinner, view.widget, &frame) != 0)
            #expect(frame.size.width == 32 && frame.size.height == 32)
            #expect(frame.origin.x == Float((gtk_widget_get_width(view.widget) - 32) / 2))
            #expect(frame.origin.y == Float((gtk_widget_get_height(view.widget) - 32) / 2))

            indicator.stopAnimatingView()
            #expect(gtk_widget_get_mapped(spinner) == 0)
            #expect(kf_gtk_get_boolean(spinner, "spinning") == 0)

            view.kf.indicatorType = .none
            #expect(gtk_widget_get_parent(spinner) == nil)
        }

        @Test("Widgets have the order of the subviews")
        func subviewOrder() {
            let (first, second, third) = (View(), View(), View())
            view.addSubview(first)
            _ = view.widget
            view.addSubview(second)
            view.addSubview(third)
            view.addSubview(first)
            var found: [UnsafeMutablePointer<GtkWidget>] = []
            var child = gtk_widget_get_first_child(view.widget)
            while let widget = child {
                found.append(widget)
                child = gtk_widget_get_next_sibling(widget)
            }
            #expect(found == [second.widget, third.widget, first.widget])
            second.removeFromSuperview()
            #expect(gtk_widget_get_parent(second.widget) == nil)
        }

        @Test("The visibility of the widget follows isHidden")
        func visibility() {
            _ = view.widget
            view.isHidden = true
            #expect(gtk_widget_get_visible(view.widget) == 0)
            view.isHidden = false
            #expect(gtk_widget_get_visible(view.widget) == 1)
        }

        @Test("A view is drawn with its opacity")
        func opacity() throws {
            view.image = try .red
            view.alpha = 0.2
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "33330000")
            view.alpha = 0
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "00000000")
        }

        @Test("A view is drawn with its transform about its center")
        func transform() throws {
            view.image = try .red
            view.transform = CGAffineTransform(translationX: 1, y: 0).scaledBy(x: 0.5, y: 0.25)
            let drawing = Drawing(of: view, width: 8, height: 8)
            let row = (0..<8).map { drawing[$0, 4] == "ffff0000" ? "#" : "." }.joined()
            let column = (0..<8).map { drawing[4, $0] == "ffff0000" ? "#" : "." }.joined()
            #expect(row == "...####." && column == "...##...")

            view.transform = CGAffineTransform(a: 0, b: 0, c: 0, d: 1, tx: 0, ty: 0)
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "00000000")
        }

        /// Rotation by a right angle and shear: the transform maps (x, y) to (-x - y, x).
        @Test("A view is drawn rotated and sheared")
        func rotationAndShear() throws {
            let upper = try PixelBuffer.checkered([[255, 0, 0, 255]], width: 8, height: 4)
            view.image = Image(pixels: upper)
            view.contentMode = .top
            view.transform = CGAffineTransform(a: -1, b: 1, c: -1, d: 0, tx: 0, ty: 0)
            let drawing = Drawing(of: view, width: 8, height: 8)
            // The upper half is drawn where 0 < x + y < 4, from the center.
            #expect(drawing[4, 5] == "ffff0000" && drawing[6, 4] == "ffff0000" && drawing[2, 7] == "ffff0000")
            #expect(drawing[2, 2] == "00000000" && drawing[7, 6] == "00000000")
        }
    }
}

/// Observes the destruction of a widget by a weak reference of GObject.
@MainActor final class WidgetWatch {
    static var alive = 0
    private(set) var isDestroyed = false
    private(set) var wasDestroyedOnMainThread = false

    func watch(_ view: View) {
        watch(view.widget)
    }

    func watch(_ widget: UnsafeMutablePointer<GtkWidget>) {
        Self.alive += 1
        g_object_weak_ref(
            UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self),
            { data, _ in
                let watch = Unmanaged<WidgetWatch>.fromOpaque(data!).takeRetainedValue()
                watch.isDestroyed = true
                watch.wasDestroyedOnMainThread = cglib_main_hook_is_main_thread()
                WidgetWatch.alive -= 1
            }, Unmanaged.passRetained(self).toOpaque())
    }
}
