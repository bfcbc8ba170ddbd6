import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import Testing

extension GTKTests {
    /// `kf` on widgets that the program created.
    @Suite(.serialized) @MainActor struct ExistingWidgets {
        let window = TestWindow(width: 100, height: 60)

        private func red(_ side: Int = 20, scale: CGFloat = 1) throws -> Image {
            try .solid([255, 0, 0, 255], width: side, height: side, scale: scale)
        }

        @Test("A supported widget has one wrapper, others have none")
        func wrapper() throws {
            let widgets = [gtk_picture_new(), gtk_image_new(), gtk_button_new()].compactMap(\.self)
            for widget in widgets {
                g_object_ref_sink(widget)
                let wrapper = try #require(ExistingWidget.of(widget))
                #expect(ExistingWidget.of(widget) === wrapper)
                #expect(widget.kf?.base === wrapper)
                g_object_unref(widget)
            }
            let label = gtk_label_new("No image")!
            g_object_ref_sink(label)
            #expect(ExistingWidget.of(label) == nil && label.kf == nil)
            g_object_unref(label)
        }

        @Test("A GtkPicture has the size of the image in points")
        func size() async throws {
            let image = gtk_picture_new()!
            let place = try #require(image.kf?.base)
            place.image = try red(40, scale: 2)
            var natural: Int32 = 0
            gtk_widget_measure(image, GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
            #expect(natural == 20)
            gtk_widget_set_halign(image, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(image, GTK_ALIGN_CENTER)
            let view = WidgetView(wrapping: image)
            try #require(await window.present(view))
            #expect(
                try await Screenshot.take(of: view).box(of: "ffff0000")?.size == CGSize(width: 20, height: 20)
            )
            place.image = nil
            #expect(gtk_picture_get_paintable(OpaquePointer(image)) == nil)
        }

        @Test("A GtkImage shows the image at its icon size")
        func iconSize() async throws {
            let image = gtk_image_new()!
            gtk_image_set_pixel_size(OpaquePointer(image), 32)
            gtk_widget_set_halign(image, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(image, GTK_ALIGN_CENTER)
            image.kf?.base.image = try red(64)
            let view = WidgetView(wrapping: image)
            try #require(await window.present(view))
            #expect(
                try await Screenshot.take(of: view).box(of: "ffff0000")?.size == CGSize(width: 32, height: 32)
            )
            image.kf?.base.image = nil
            #expect(gtk_image_get_storage_type(OpaquePointer(image)) == GTK_IMAGE_EMPTY)
        }

        @Test("A rotated image is drawn upright")
        func orientation() async throws {
            let halves = try PixelBuffer.checkered(
                [[255, 0, 0, 255], [0, 0, 255, 255]], width: 2, height: 1)
            let image = gtk_picture_new()!
            image.kf?.base.image = Image(pixels: halves, orientation: .down)
            gtk_picture_set_content_fit(OpaquePointer(image), GTK_CONTENT_FIT_FILL)
            let view = WidgetView(wrapping: image)
            try #require(await window.present(view))
            let shot = try await Screenshot.take(of: view)
            #expect(shot[10, 30] == "ff0000ff" && shot[90, 30] == "ffff0000")
        }

        @Test("A template has the foreground colour of the widget")
        func templateColour() async throws {
            let image = gtk_picture_new()!
            image.kf?.base.image = try red().withRenderingMode(.alwaysTemplate)
            let view = WidgetView(wrapping: image)
            try #require(await window.present(view))
            #expect(try await Screenshot.take(of: view)[50, 30] < "ff404040")
        }

        @Test("A button without an image shows its original content again")
        func buttonContent() throws {
            let button = gtk_button_new_with_label("Open")!
            g_object_ref_sink(button)
            let gtkButton = UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self)
            let place = try #require(button.kf?.base)
            place.image = nil
            #expect(String(cString: gtk_button_get_label(gtkButton)) == "Open")
            place.image = try red()
            #expect(gtk_button_get_label(gtkButton) == nil)
            let shown = gtk_button_get_child(gtkButton)
            place.image = try red(30)
            #expect(gtk_button_get_child(gtkButton) == shown)
            place.image = nil
            #expect(String(cString: gtk_button_get_label(gtkButton)) == "Open")

            gtk_button_set_icon_name(gtkButton, "open-menu-symbolic")
            place.image = try red()
            place.image = nil
            #expect(String(cString: gtk_button_get_icon_name(gtkButton)) == "open-menu-symbolic")

            let child = gtk_spinner_new()!
            gtk_button_set_child(gtkButton, child)
            place.image = try red()
            #expect(gtk_widget_get_parent(child) == nil)
            place.image = nil
            #expect(gtk_button_get_child(gtkButton) == child)

            // Content that the program sets in the meantime stays.
            place.image = try red()
            gtk_button_set_label(gtkButton, "Other")
            place.image = nil
            #expect(String(cString: gtk_button_get_label(gtkButton)) == "Other")
            g_object_unref(button)
        }

        @Test("Content that the program set after the image stays")
        func replacedContent() throws {
            let texture = gdk_paintable_new_empty(4, 4)!
            defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
            let (display, icon) = (gtk_picture_new()!, gtk_image_new()!)
            let owners = [WidgetView(wrapping: display), WidgetView(wrapping: icon)]
            for widget in owners.map(\.content) { widget.kf?.base.image = try red() }
            gtk_picture_set_paintable(OpaquePointer(display), texture)
            gtk_image_set_from_icon_name(OpaquePointer(icon), "open-menu-symbolic")
            for widget in owners.map(\.content) { widget.kf?.base.image = nil }
            #expect(gtk_picture_get_paintable(OpaquePointer(display)) == texture)
            #expect(gtk_image_get_storage_type(OpaquePointer(icon)) == GTK_IMAGE_ICON_NAME)
        }

        @Test("A wrapper lives as long as its widget")
        func wrapperLifetime() async throws {
            for make in [gtk_picture_new, gtk_image_new, gtk_button_new] {
                weak var wrapper: ExistingWidget?
                let watch = WidgetWatch()
                let widget = make()!
                g_object_ref_sink(widget)
                watch.watch(widget)
                wrapper = widget.kf?.base
                wrapper?.image = try red()
                for _ in 0..<3 { await GTK.iterate() }
                #expect(wrapper?.image != nil)
                g_object_unref(widget)
                #expect(watch.isDestroyed)
                #expect(wrapper == nil)
            }
        }

        @Test("The last release on another thread destroys the child on the main thread")
        func lastReleaseOnAnotherThread() async throws {
            let (child, watch) = (gtk_spinner_new()!, WidgetWatch())
            let button = gtk_button_new()!
            g_object_ref_sink(button)
            gtk_button_set_child(
                UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self), child)
            watch.watch(child)
            var place = ExistingWidget.of(button)
            place?.image = try red()
            let last = Unmanaged.passRetained(try #require(place))
            place = nil
            g_object_unref(button)
            // The wrapper retains the button's original child.
            #expect(!watch.isDestroyed)
            await Task.detached { last.release() }.value
            #expect(await GTK.wait { watch.isDestroyed })
            #expect(watch.wasDestroyedOnMainThread)
        }

        @Test("A load completes once after its widget was destroyed", arguments: [true, false])
        func loadOutlivesWidget(_ isReferenced: Bool) async throws {
            let gate = AsyncStream<Void>.makeStream()
            var results: [Result<RetrieveImageResult, KingfisherError>] = []
            let image = gtk_picture_new()!
            if isReferenced { g_object_ref_sink(image) }
            var view: WidgetView? = WidgetView(wrapping: image)
            try #require(await window.present(view!))
            image.kf?.setImage(
                with: .provider(GatedRed(gate: gate.stream)), options: [.forceRefresh, .cacheMemoryOnly]
            ) { results.append($0) }
            view = nil
            window.close()
            for _ in 0..<5 { await GTK.iterate() }
            if isReferenced {
                g_object_run_dispose(UnsafeMutableRawPointer(image).assumingMemoryBound(to: GObject.self))
            }
            gate.continuation.finish()
            #expect(await GTK.wait { !results.isEmpty })
            for _ in 0..<5 { await GTK.iterate() }
            #expect(results.count == 1 && results[0].replaced != nil)
            if isReferenced {
                #expect(gtk_picture_get_paintable(OpaquePointer(image)) == nil)
                g_object_unref(image)
            }
        }

        @Test("A load shows the placeholder and then the image")
        func placeholder() async throws {
            let gate = AsyncStream<Void>.makeStream()
            let image = gtk_picture_new()!
            let view = WidgetView(wrapping: image)
            try #require(await window.present(view))
            var isDone = false
            image.kf?.setImage(
                with: .provider(GatedRed(gate: gate.stream)), placeholder: try .blue,
                options: [.forceRefresh, .cacheMemoryOnly]
            ) { _ in isDone = true }
            #expect(await GTK.wait { Screenshot(of: view)?[50, 30] == "ff0000ff" })
            gate.continuation.finish()
            #expect(await GTK.wait { isDone })
            #expect(await GTK.wait { Screenshot(of: view)?[50, 30] == "ffff0000" })
        }
    }
}

extension Result where Success == RetrieveImageResult, Failure == KingfisherError {
    /// The image of a load whose view was released.
    fileprivate var replaced: RetrieveImageResult? {
        guard case .failure(.imageSettingError(.notCurrentSourceTask(let loaded, _, _))) = self
        else { return nil }
        return loaded
    }
}
