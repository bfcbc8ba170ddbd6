import CGLibMainHook
import CGtk
import Kingfisher
@testable import KingfisherGTK
import Testing

extension GTKTests {
    @Suite(.serialized) @MainActor struct Lifetime {
        @Test func droppedViewTakesItsWidgetAlong() async {
            weak var view: View?
            let widget = WidgetWatch()
            do {
                let new = ImageView()
                view = new
                widget.watch(new)
            }
            #expect(await GTK.wait { view == nil })
            #expect(widget.isGone)
        }

        /// The pointer outlives the last use of its view until the loop turns.
        @Test func pointerOfATemporaryIsGoodForThisTurn() async {
            let window = TestWindow()
            window.show(ImageView())
            for _ in 0..<5 { await GTK.turn() }
            let alive = WidgetWatch()
            weak var view: View?
            do {
                let new = ImageView()
                view = new
                alive.watch(new)
                window.show(new)
            }
            for _ in 0..<5 { await GTK.turn() }
            #expect(view != nil && !alive.isGone)
        }

        @Test func windowKeepsTheView() async throws {
            let window = TestWindow()
            weak var view: View?
            do {
                let new = ImageView(image: try .red)
                view = new
                try #require(await window.present(new))
            }
            for _ in 0..<10 { await GTK.turn() }
            #expect(view != nil)
            window.show(nil)
            #expect(await GTK.wait { view == nil })
        }

        @Test func closedWindowLetsTheViewGo() async throws {
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

        @Test func viewOutlivesItsWindow() async throws {
            let window = TestWindow()
            let view = ImageView()
            try #require(await window.present(view))
            window.close()
            for _ in 0..<10 { await GTK.turn() }
            #expect(gtk_widget_get_parent(view.widget) == nil)
            view.image = try .red
            #expect(Drawing(of: view, width: 4, height: 4)[1, 1] == "ffff0000")
            let other = TestWindow()
            #expect(await other.present(view))
        }

        @Test func lastReleaseOnAnotherThread() async {
            let widget = WidgetWatch()
            var view: ImageView? = ImageView()
            widget.watch(view!)
            for _ in 0..<5 { await GTK.turn() }
            let last = Unmanaged.passRetained(view!)
            view = nil
            #expect(!widget.isGone)
            await Task.detached { last.release() }.value
            #expect(await GTK.wait { widget.isGone })
            #expect(widget.wentOnMainThread)
        }

        @Test func thousandViewsLeaveNothing() async throws {
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

        @Test func naturalSizeIsTheImagesSize() throws {
            view.image = try .solid([1, 2, 3, 255], width: 31, height: 20, scale: 2)
            var (minimum, natural): (Int32, Int32) = (0, 0)
            gtk_widget_measure(view.widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, nil, nil)
            #expect(minimum == 0 && natural == 16)
            gtk_widget_measure(view.widget, GTK_ORIENTATION_VERTICAL, -1, &minimum, &natural, nil, nil)
            #expect(minimum == 0 && natural == 10)
        }

        @Test func spinnerLiesInTheMiddleWhileItTurns() async throws {
            view.image = try .red
            view.kf.indicatorType = .activity
            let indicator = try #require(view.kf.indicator)
            try #require(await window.present(view))
            let spinner = indicator.view.widget
            #expect(gtk_widget_get_parent(spinner) == view.widget)
            #expect(gtk_widget_get_mapped(spinner) == 0)

            indicator.startAnimatingView()
            #expect(cgtk_get_boolean(spinner, "spinning") != 0)
            #expect(
                await GTK.wait { gtk_widget_get_mapped(spinner) != 0 && gtk_widget_get_width(spinner) > 0 })
            var frame = graphene_rect_t()
            #expect(gtk_widget_compute_bounds(spinner, view.widget, &frame) != 0)
            #expect(frame.size.width == 32 && frame.size.height == 32)
            #expect(frame.origin.x == Float((gtk_widget_get_width(view.widget) - 32) / 2))
            #expect(frame.origin.y == Float((gtk_widget_get_height(view.widget) - 32) / 2))

            indicator.stopAnimatingView()
            #expect(gtk_widget_get_mapped(spinner) == 0)
            #expect(cgtk_get_boolean(spinner, "spinning") == 0)

            view.kf.indicatorType = .none
            #expect(gtk_widget_get_parent(spinner) == nil)
        }

        @Test func subviewsFollowTheirOrder() {
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

        @Test func visibilityFollowsTheView() {
            _ = view.widget
            view.isHidden = true
            #expect(gtk_widget_get_visible(view.widget) == 0)
            view.isHidden = false
            #expect(gtk_widget_get_visible(view.widget) == 1)
        }

        @Test func drawnAtItsOpacity() throws {
            view.image = try .red
            view.alpha = 0.2
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "33330000")
            view.alpha = 0
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "00000000")
        }

        @Test func drawnWithItsTransformAboutItsMiddle() throws {
            view.image = try .red
            view.transform = CGAffineTransform(translationX: 1, y: 0).scaledBy(x: 0.5, y: 0.25)
            let drawing = Drawing(of: view, width: 8, height: 8)
            let row = (0..<8).map { drawing[$0, 4] == "ffff0000" ? "#" : "." }.joined()
            let column = (0..<8).map { drawing[4, $0] == "ffff0000" ? "#" : "." }.joined()
            #expect(row == "...####." && column == "...##...")

            view.transform = CGAffineTransform(a: 0, b: 0, c: 0, d: 1, tx: 0, ty: 0)
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "00000000")
        }

        /// A turn by a right angle and a slant: (x, y) of the upper half goes to (-y - x, x).
        @Test func drawnTurnedAndSkewed() throws {
            let upper = try PixelBuffer.checkered([[255, 0, 0, 255]], width: 8, height: 4)
            view.image = Image(pixels: upper)
            view.contentMode = .top
            view.transform = CGAffineTransform(a: -1, b: 1, c: -1, d: 0, tx: 0, ty: 0)
            let drawing = Drawing(of: view, width: 8, height: 8)
            // What was above the middle lies where x + y > 0, between them at most four apart.
            #expect(drawing[4, 5] == "ffff0000" && drawing[6, 4] == "ffff0000" && drawing[2, 7] == "ffff0000")
            #expect(drawing[2, 2] == "00000000" && drawing[7, 6] == "00000000")
        }
    }
}

/// Hears of the end of a widget, by GObject's own word for it.
@MainActor final class WidgetWatch {
    static var alive = 0
    private(set) var isGone = false
    private(set) var wentOnMainThread = false

    func watch(_ view: View) {
        watch(view.widget)
    }

    func watch(_ widget: UnsafeMutablePointer<GtkWidget>) {
        Self.alive += 1
        g_object_weak_ref(
            UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self),
            { data, _ in
                let watch = Unmanaged<WidgetWatch>.fromOpaque(data!).takeRetainedValue()
                watch.isGone = true
                watch.wentOnMainThread = cglib_main_hook_is_main_thread()
                WidgetWatch.alive -= 1
            }, Unmanaged.passRetained(self).toOpaque())
    }
}
