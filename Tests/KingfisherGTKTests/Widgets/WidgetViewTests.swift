import CGtk
import Foundation
public import Kingfisher
@testable public import KingfisherGTK
import Testing

/// All that a program writes to have labels as placeholders.
extension Label: Placeholder {}

extension GTKTests {
    /// GTK's own widgets as views.
    @Suite(.serialized) @MainActor struct WrappedWidgets {
        let window = TestWindow(width: 160, height: 60)

        @Test func fillsTheView() async throws {
            let view = WidgetView(wrapping: gtk_label_new("Hello"))
            try #require(await window.present(view))
            #expect(gtk_widget_get_parent(view.content) == view.widget)
            #expect(gtk_widget_get_width(view.content) == 160 && gtk_widget_get_height(view.content) == 60)
        }

        @Test func wantsWhatItsWidgetWants() {
            let label = gtk_label_new("Hello, hello, hello")!
            gtk_label_set_wrap(OpaquePointer(label), 1)
            let view = WidgetView(wrapping: label)
            #expect(gtk_widget_get_request_mode(view.widget) == GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH)
            for (orientation, across) in [(GTK_ORIENTATION_HORIZONTAL, -1), (GTK_ORIENTATION_VERTICAL, 50)] {
                var (own, wanted): (Int32, Int32) = (0, 0)
                gtk_widget_measure(label, orientation, Int32(across), nil, &own, nil, nil)
                gtk_widget_measure(view.widget, orientation, Int32(across), nil, &wanted, nil, nil)
                #expect(own == wanted && own > 10)
            }
        }

        @Test func isHiddenAndFadedWithTheView() async throws {
            let label = Label("Hello")
            let parent = ImageView(image: try .red)
            parent.addSubview(label)
            try #require(await window.present(parent))
            let plain = try await Screenshot.take(of: parent)
            #expect(plain.box { $0 != "ffff0000" } != nil)
            label.alpha = 0
            #expect(try await Screenshot.take(of: parent).box { $0 != "ffff0000" } == nil)
            label.alpha = 1
            label.isHidden = true
            #expect(try await Screenshot.take(of: parent).box { $0 != "ffff0000" } == nil)
        }

        @Test func ofAWidgetInUseTheViewIsEmpty() async throws {
            let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
            let label = gtk_label_new("Hello")!
            gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), label)
            let owner = WidgetView(wrapping: box)
            let second = WidgetView(wrapping: label)
            let third = WidgetView(wrapping: box)
            #expect(gtk_widget_get_parent(label) == box && gtk_widget_get_parent(box) == owner.widget)
            #expect(second.content == label)
            #expect(gtk_widget_get_first_child(second.widget) == nil)
            #expect(gtk_widget_get_first_child(third.widget) == nil)
            // A window cannot lie in a view.
            let toplevel = gtk_window_new()!
            #expect(gtk_widget_get_first_child(WidgetView(wrapping: toplevel).widget) == nil)
            gtk_window_destroy(UnsafeMutableRawPointer(toplevel).assumingMemoryBound(to: GtkWindow.self))
        }

        @Test func aWidgetTakenAwayIsMissedNotTouched() async throws {
            let view = WidgetView(wrapping: gtk_label_new("Hello"))
            try #require(await window.present(view))
            gtk_widget_unparent(view.content)
            #expect(Screenshot(of: view) == nil)
            #expect(gtk_widget_get_request_mode(view.widget) == GTK_SIZE_REQUEST_CONSTANT_SIZE)
        }

        @Test func keyboardReachesTheWidget() async throws {
            let view = WidgetView(wrapping: gtk_button_new_with_label("Press"))
            try #require(await window.present(view))
            // A window focuses its first widget by itself.
            let toplevel = UnsafeMutableRawPointer(gtk_widget_get_root(view.widget))
            gtk_window_set_focus(toplevel?.assumingMemoryBound(to: GtkWindow.self), nil)
            #expect(gtk_widget_child_focus(view.widget, GTK_DIR_TAB_FORWARD) != 0)
            #expect(gtk_widget_get_state_flags(view.content).rawValue & GTK_STATE_FLAG_FOCUSED.rawValue != 0)
        }

        @Test func aViewsOwnWidgetCanBeWrapped() async throws {
            weak var inner: View?
            var outer: WidgetView?
            do {
                let image = ImageView(image: try .red)
                inner = image
                outer = WidgetView(wrapping: image.widget)
            }
            try #require(await window.present(try #require(outer)))
            #expect(inner != nil)
            #expect(try await Screenshot.take(of: try #require(outer))[80, 30] == "ffff0000")
            outer = nil
            window.show(nil)
            #expect(await GTK.wait { inner == nil })
        }

        @Test func goesWithItsWidget() async {
            let (watch, content) = (WidgetWatch(), WidgetWatch())
            weak var view: View?
            do {
                let new = WidgetView(wrapping: gtk_spinner_new())
                view = new
                watch.watch(new)
                content.watch(new.content)
            }
            #expect(await GTK.wait { view == nil && watch.isGone && content.isGone })
        }

        @Test func windowKeepsItAndLetsItGo() async throws {
            weak var view: View?
            let content = WidgetWatch()
            do {
                let new = Label("Hello")
                view = new
                content.watch(new.content)
                try #require(await window.present(new))
            }
            for _ in 0..<5 { await GTK.turn() }
            #expect(view != nil)
            window.close()
            #expect(await GTK.wait { view == nil && content.isGone })
        }

        @Test func lastReleaseOnAnotherThread() async {
            let content = WidgetWatch()
            var view: Label? = Label("Hello")
            content.watch(view!.content)
            let last = Unmanaged.passRetained(view!)
            view = nil
            for _ in 0..<5 { await GTK.turn() }
            #expect(!content.isGone)
            await Task.detached { last.release() }.value
            #expect(await GTK.wait { content.isGone })
            #expect(content.wentOnMainThread)
        }
    }

    /// Many of each kind.
    @Suite(.serialized) @MainActor struct ManyWidgets {
        @Test func leaveNothing() async throws {
            let (before, red) = (WidgetWatch.alive, try Image.red)
            for _ in 0..<200 {
                let button = Button(title: "Open")
                button.setBackgroundImage(red, for: .normal)
                let text = TextView("Text ")
                let attachment = TextAttachment()
                text.append(attachment)
                let image = WidgetView(wrapping: gtk_picture_new())
                image.content.kf?.base.image = red
                for view in [Label("Hello"), button, text, image] {
                    WidgetWatch().watch(view)
                    _ = Drawing(of: view, width: 20, height: 20)
                }
                attachment.image = red
                button.isHighlighted = true
            }
            #expect(WidgetWatch.alive > before)
            #expect(await GTK.wait { WidgetWatch.alive == before })
        }
    }

    @Suite(.serialized) @MainActor struct Labels {
        let window = TestWindow(width: 200, height: 100)

        @Test func textStandsInTheMiddle() async throws {
            let view = ImageView(image: try .solid([255, 255, 255, 255]))
            let label = Label("Loading…")
            label.textColor = .blue
            label.fontSize = 24
            view.addSubview(label)
            try #require(await window.present(view))
            let box = try #require(try await Screenshot.take(of: view).box { $0 != "ffffffff" })
            #expect(abs(box.midX - 100) <= 2)
            // Letters have more above the baseline than below.
            #expect(abs(box.midY - 50) <= 5)
            #expect(box.height > 14 && box.height < 30)
            #expect(try await Screenshot.take(of: view).box(of: "ff0000ff") != nil)
        }

        @Test func clearTextIsNotSeen() async throws {
            let view = ImageView(image: try .solid([255, 255, 255, 255]))
            let label = Label("Loading")
            label.textColor = .clear
            view.addSubview(label)
            try #require(await window.present(view))
            let faint = try await Screenshot.take(of: view)
            #expect(faint.box { $0 < "fffafafa" } == nil)
            label.textColor = nil
            #expect(try await Screenshot.take(of: view).box { $0 < "ffa0a0a0" } != nil)
        }

        @Test(arguments: [(TextAlignment.left, 2), (.natural, 2), (.center, 100), (.right, 198)])
        func textStandsAtItsSide(alignment: TextAlignment, place: Double) async throws {
            let view = ImageView(image: try .solid([255, 255, 255, 255]))
            let label = Label()
            #expect(label.text == "" && label.textAlignment == .center)
            label.text = "Hi"
            label.textColor = .blue
            label.textAlignment = alignment
            view.addSubview(label)
            try #require(await window.present(view))
            let box = try #require(try await Screenshot.take(of: view).box { $0 != "ffffffff" })
            let edge =
                switch alignment {
                case .left, .natural, .justified: box.minX
                case .center: box.midX
                case .right: box.maxX
                }
            #expect(abs(edge - place) <= 3)
        }

        @Test func longTextIsShortenedOrBroken() {
            let label = Label("It takes a long time to load so large an image")
            func width() -> Int32 {
                var minimum: Int32 = 0
                gtk_widget_measure(label.widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, nil, nil, nil)
                return minimum
            }
            func height(across: Int32) -> Int32 {
                var minimum: Int32 = 0
                gtk_widget_measure(label.widget, GTK_ORIENTATION_VERTICAL, across, &minimum, nil, nil, nil)
                return minimum
            }
            // However narrow the view, its placeholder does not widen it much.
            #expect(width() < 40)
            let line = height(across: 120)
            label.numberOfLines = 2
            #expect(height(across: 120) == 2 * line)
            label.numberOfLines = 0
            #expect(height(across: 120) > 2 * line)
            #expect(label.text.hasPrefix("It takes"))
        }

        /// A label as placeholder, from the beginning of a load to its end.
        @Test func asPlaceholder() async throws {
            let view = ImageView()
            try #require(await window.present(view))
            let label = Label("Loading…")
            view.kf.setImage(with: nil as Source?, placeholder: label)
            #expect(label.superview === view)
            #expect(await GTK.wait { gtk_widget_get_width(label.widget) == 200 })
            #expect(gtk_widget_get_height(label.widget) == 100)
            let box = try #require(try await Screenshot.take(of: view).box { $0 != "00000000" })
            #expect(abs(box.midX - 100) <= 2 && abs(box.midY - 50) <= 4)
            let data = try #require(Image.red.pngData())
            await withCheckedContinuation { done in
                view.kf.setImage(
                    with: .provider(RawImageDataProvider(data: data, cacheKey: "red")), placeholder: label,
                    options: [.forceRefresh, .cacheMemoryOnly]
                ) { _ in done.resume() }
                #expect(label.superview === view)
            }
            #expect(label.superview == nil && gtk_widget_get_parent(label.widget) == nil)
            #expect(try await Screenshot.take(of: view)[100, 50] == "ffff0000")
        }
    }
}
