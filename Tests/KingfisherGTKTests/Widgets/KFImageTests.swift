import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// `KFImage` values as widgets in a window.
    @Suite(.serialized) @MainActor struct DeclarativeImages {
        private let rig: LoadingRig
        private let window = TestWindow()
        /// The colour of image number 200.
        private let color = "ffc8004d"

        init() throws { rig = try LoadingRig() }

        private func value(_ number: Int = 200) -> KFImage {
            connected(KFImage(LoadingRig.url(number)))
        }

        private func connected<Value: KFImageProtocol>(_ value: Value) -> Value {
            value.targetCache(rig.cache).downloader(
                ImageDownloader(name: "kfimage", transport: rig.transport))
        }

        private func view(of widget: UnsafeMutablePointer<GtkWidget>) throws -> ImageView {
            try #require(ViewWidgetClass.view(of: widget) as? ImageView)
        }

        private func natural(_ widget: UnsafeMutablePointer<GtkWidget>) -> Int32 {
            var size: Int32 = 0
            gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &size, nil, nil)
            return size
        }

        @Test("The image has its natural size in the centre; resizable() scales it to the widget")
        func sizes() async throws {
            let view = try view(of: value().makeWidget())
            #expect(natural(view.widget) == 0)
            try #require(await window.present(view))
            #expect(await GTK.wait { view.image != nil })
            #expect(natural(view.widget) == 16)
            #expect(
                try await Screenshot.take(of: view).box(of: color)
                    == CGRect(x: 32, y: 32, width: 16, height: 16))
            let image = view.image
            #expect(value().resizable().update(view.widget))
            #expect(view.image === image && rig.transport.requests.count == 1)
            #expect(
                try await Screenshot.take(of: view).box(of: color)
                    == CGRect(x: 0, y: 0, width: 80, height: 80))
        }

        @Test("A placeholder with progress is shown, then a fade, then the image")
        func loadSequence() async throws {
            rig.transport.hold()
            let (blue, clock) = (try Image.blue, ManualAnimationClock())
            var fractions: [Double] = []
            let image = value().resizable().fade(duration: 2).configure { $0.clock = clock }
                .placeholder { progress in
                    fractions.append(progress.fractionCompleted)
                    return ImageView(image: blue)
                }
            let view = try view(of: image.makeWidget())
            try #require(await window.present(view))
            #expect(await GTK.wait { self.rig.transport.requests.count == 1 })
            #expect(try await Screenshot.take(of: view).box(of: "ff0000ff")?.width == 80)
            rig.transport.release()
            #expect(await GTK.wait { view.runningTransition != nil })
            #expect(fractions.first == 0 && fractions.last == 1)
            clock.advance(by: 1)
            view.setNeedsDisplay()
            let middle = try await Screenshot.take(of: view).color(40, 40)
            #expect(abs(middle[0] - 100) <= 2 && abs(middle[2] - 166) <= 2)
            clock.advance(by: 1)
            #expect(await GTK.wait { view.runningTransition == nil })
            #expect(try await Screenshot.take(of: view).box(of: color)?.width == 80)
        }

        @Test("The failure view replaces the placeholder on screen")
        func failure() async throws {
            let (blue, red) = (try Image.blue, try Image.red)
            let image = connected(KFImage(URL(string: "http://rig.test/none")))
                .placeholder { ImageView(image: blue) }.onFailureView { ImageView(image: red) }
            rig.transport.hold()
            let view = try view(of: image.makeWidget())
            try #require(await window.present(view))
            #expect(try await Screenshot.take(of: view).box(of: "ff0000ff")?.width == 80)
            rig.transport.release()
            #expect(await GTK.wait { Screenshot(of: view)?.box(of: "ffff0000")?.width == 80 })
        }

        @Test("A new widget draws an image in memory before the main loop runs")
        func memory() async throws {
            let first = try view(of: value().makeWidget())
            try #require(await window.present(first))
            #expect(await GTK.wait { first.image != nil })
            let second = try view(of: value().resizable().makeWidget())
            #expect(Drawing(of: second, width: 16, height: 16)[8, 8] == color)
        }

        @Test("An update to an equal value keeps the pixels in all frames until another image is loaded")
        func updates() async throws {
            let view = try view(of: value().resizable().makeWidget())
            try #require(await window.present(view))
            #expect(await GTK.wait { view.image != nil })
            let before = try await Screenshot.take(of: view)
            for _ in 0..<10 {
                #expect(value().resizable().update(view.widget))
                #expect(Drawing(of: view, width: 80, height: 80)[40, 40] == color)
                await GTK.iterate()
            }
            #expect(try await Screenshot.take(of: view) == before && rig.transport.requests.count == 1)
            #expect(value(7).resizable().keepCurrentImageWhileLoading().update(view.widget))
            #expect(Drawing(of: view, width: 80, height: 80)[40, 40] == color)
            #expect(await GTK.wait { Screenshot(of: view)?[40, 40] == "ff07004d" })
        }

        @Test("An image on a hidden page is loaded when the page is shown")
        func hiddenPage() async throws {
            let stack = gtk_stack_new()!
            let (front, back) = (try view(of: value(1).makeWidget()), try view(of: value(2).makeWidget()))
            gtk_stack_add_named(OpaquePointer(stack), front.widget, "front")
            gtk_stack_add_named(OpaquePointer(stack), back.widget, "back")
            let page = WidgetView(wrapping: stack)
            try #require(await window.present(page))
            #expect(await GTK.wait { front.image != nil })
            #expect(rig.transport.requests.count == 1)
            gtk_stack_set_visible_child_name(OpaquePointer(stack), "back")
            #expect(await GTK.wait { back.image != nil })
            #expect(rig.transport.requests.count == 2)
        }

        @Test("Widgets that show no image view are refused")
        func otherWidgets() {
            #expect(!value().update(gtk_label_new("text")) && !value().update(Button().widget))
            #expect(!value().update(connected(KFAnimatedImage(nil)).makeWidget()))
        }

        @Test("Closing the window releases the view that only the widget held")
        func lifetime() async throws {
            weak var released: ImageView?
            do {
                let shown = try view(of: value().placeholder { _ in View() }.makeWidget())
                released = shown
                try #require(await window.present(shown))
                #expect(await GTK.wait { shown.image != nil })
            }
            #expect(released != nil)
            window.close()
            #expect(await GTK.wait { released == nil })
        }
    }
}
