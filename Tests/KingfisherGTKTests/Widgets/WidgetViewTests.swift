import CGtk
import Foundation
public import Kingfisher
@testable public import KingfisherGTK
import Testing

/// The conformance that a program declares to use labels as placeholders.
extension Label: Placeholder {}

extension GTKTests {
    /// Widgets of GTK as views.
    @Suite(.serialized) @MainActor struct WrappedWidgets {
        let window = TestWindow(width: 160, height: 60)

        @Test("The wrapped widget fills the view")
        func fill() async throws {
            let view = WidgetView(wrapping: gtk_label_new("Hello"))
            try #require(await window.present(view))
            #expect(gtk_widget_get_parent(view.content) == view.widget)
            #expect(gtk_widget_get_width(view.content) == 160 && gtk_widget_get_height(view.content) == 60)
        }

        @Test("The view has the requested size of its widget")
        func measure() {
            let label = gtk_label_new("Hello, hello, hello")!
            gtk_label_set_wrap(OpaquePointer(label), 1)
            let view = WidgetView(wrapping: label)
            #expect(gtk_widget_get_request_mode(view.widget) == GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH)
            for (orientation, across) in [(GTK_ORIENTATION_HORIZONTAL, -1), (GTK_ORIENTATION_VERTICAL, 50)] {
                var (content, wrapper): (Int32, Int32) = (0, 0)
                gtk_widget_measure(label, orientation, Int32(across), nil, &content, nil, nil)
                gtk_widget_measure(view.widget, orientation, Int32(across), nil, &wrapper, nil, nil)
                #expect(content == wrapper && content > 10)
            }
        }

        @Test("The widget is hidden and transparent with its view")
        func hiddenAndTransparent() async throws {
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

        @Test("A view of a widget that has a parent, or of a window, is empty")
        func widgetInUse() async throws {
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
            // A window cannot be in a view.
            let toplevel = gtk_window_new()!
            #expect(gtk_widget_get_first_child(WidgetView(wrapping: toplevel).widget) == nil)
            gtk_window_destroy(UnsafeMutableRawPointer(toplevel).assumingMemoryBound(to: GtkWindow.self))
        }

        @Test("A view whose widget was unparented draws nothing")
        func unparentedWidget() async throws {
            let view = WidgetView(wrapping: gtk_label_new("Hello"))
            try #require(await window.present(view))
            gtk_widget_unparent(view.content)
            #expect(Screenshot(of: view) == nil)
            #expect(gtk_widget_get_request_mode(view.widget) == GTK_SIZE_REQUEST_CONSTANT_SIZE)
        }

        @Test("Tab moves the focus to the widget")
        func keyboardFocus() async throws {
            let view = WidgetView(wrapping: gtk_button_new_with_label("Press"))
            try #require(await window.present(view))
            // A window focuses its first widget automatically.
            let toplevel = UnsafeMutableRawPointer(gtk_widget_get_root(view.widget))
            gtk_window_set_focus(toplevel?.assumingMemoryBound(to: GtkWindow.self), nil)
            #expect(gtk_widget_child_focus(view.widget, GTK_DIR_TAB_FORWARD) != 0)
            #expect(gtk_widget_get_state_flags(view.content).rawValue & GTK_STATE_FLAG_FOCUSED.rawValue != 0)
        }

        @Test("The widget of another view can be wrapped and retains that view")
        func wrappedView() async throws {
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

        @Test("A released view destroys its widget and its content")
        func destroyedWithWidget() async {
            let (watch, content) = (WidgetWatch(), WidgetWatch())
            weak var view: View?
            do {
                let new = WidgetView(wrapping: gtk_spinner_new())
                view = new
                watch.watch(new)
                content.watch(new.content)
            }
            #expect(await GTK.wait { view == nil && watch.isDestroyed && content.isDestroyed })
        }

        @Test("A window retains its view until it closes")
        func windowRetainsView() async throws {
            weak var view: View?
            let content = WidgetWatch()
            do {
                let new = Label("Hello")
                view = new
                content.watch(new.content)
                try #require(await window.present(new))
            }
            for _ in 0..<5 { await GTK.iterate() }
            #expect(view != nil)
            window.close()
            #expect(await GTK.wait { view == nil && content.isDestroyed })
        }

        @Test("The last release on another thread destroys the content on the main thread")
        func lastReleaseOnAnotherThread() async {
            let content = WidgetWatch()
            var view: Label? = Label("Hello")
            content.watch(view!.content)
            let last = Unmanaged.passRetained(view!)
            view = nil
            for _ in 0..<5 { await GTK.iterate() }
            #expect(!content.isDestroyed)
            await Task.detached { last.release() }.value
            #expect(await GTK.wait { content.isDestroyed })
            #expect(content.wasDestroyedOnMainThread)
        }
    }

    @Suite(.serialized) @MainActor struct ManyWidgets {
        @Test("Many views of each kind destroy their widgets")
        func destroyed() async throws {
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

        @Test("The text of a label is centered")
        func centeredText() async throws {
            let view = ImageView(image: try .solid([255, 255, 255, 255]))
            let label = Label("Loading…")
            label.textColor = .blue
            label.fontSize = 24
            view.addSubview(label)
            try #require(await window.present(view))
            let box = try #require(try await Screenshot.take(of: view).box { $0 != "ffffffff" })
            #expect(abs(box.midX - 100) <= 2)
            // Letters are higher above the baseline than below it.
            #expect(abs(box.midY - 50) <= 5)
            #expect(box.height > 14 && box.height < 30)
            #expect(try await Screenshot.take(of: view).box(of: "ff0000ff") != nil)
        }

        @Test("Text with a clear colour is invisible")
        func clearText() async throws {
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

        @Test(
            "Text is at the side that its alignment names",
            arguments: [(TextAlignment.left, 2), (.natural, 2), (.center, 100), (.right, 198)])
        func alignment(alignment: TextAlignment, place: Double) async throws {
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

        @Test("Long text is truncated or wrapped to the number of lines")
        func longText() {
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
            // A placeholder barely affects the minimum width of the view.
            #expect(width() < 40)
            let line = height(across: 120)
            label.numberOfLines = 2
            #expect(height(across: 120) == 2 * line)
            label.numberOfLines = 0
            #expect(height(across: 120) > 2 * line)
            #expect(label.text.hasPrefix("It takes"))
        }

        @Test("A label placeholder is shown until the load succeeds")
        func placeholder() async throws {
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
