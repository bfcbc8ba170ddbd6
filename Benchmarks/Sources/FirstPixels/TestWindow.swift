import KingfisherGTK

/// A window that shows one view at a time, and reports when a frame with its image was painted.
@MainActor final class TestWindow {
    private let window: UnsafeMutablePointer<GtkWindow>
    private let side: Int
    private var view = ImageView()
    /// Called after each frame.
    private var afterPaint: @MainActor () -> Void = {}

    init(in application: Application, side: Int) throws {
        self.side = side
        let size = CGSize(width: side, height: side)
        guard let window = application.showWindow(title: "First Pixels", size: size, content: view),
            let clock = gtk_widget_get_frame_clock(view.widget)
        else { throw FirstPixelsError("the window is not on screen") }
        self.window = window
        gtk_window_set_resizable(window, 0)
        g_signal_connect_data(
            UnsafeMutableRawPointer(clock), "after-paint", unsafeBitCast(painted, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    /// Loads an image into a fresh view; from the call to the end of the frame that shows the image.
    func measure(_ load: ImageLoad) async throws -> Times {
        view = ImageView()
        gtk_widget_set_size_request(view.widget, Int32(side), Int32(side))
        gtk_window_set_child(window, view.widget)
        await nextFrame()
        try await load.prepare()
        // Without a frame in progress or soon after the last one, which would delay the measured frame.
        try await Task.sleep(for: .milliseconds(50))
        guard !showsImage else { throw FirstPixelsError("the view shows an image before the load") }
        return try await withCheckedThrowingContinuation { continuation in
            let start = Times.now
            afterPaint = { [self] in
                let end = Times.now
                guard showsImage else { return }
                afterPaint = {}
                continuation.resume(returning: end - start)
            }
            load.start(in: view) { error in
                if let error { FirstPixels.fail("\(error)") }
            }
        }
    }

    private func nextFrame() async {
        await withCheckedContinuation { continuation in
            afterPaint = { [self] in
                afterPaint = {}
                continuation.resume()
            }
            gtk_widget_queue_draw(view.widget)
        }
    }

    /// Whether the last frame had an opaque pixel in the middle of the view: the view without an image paints
    /// nothing.
    private var showsImage: Bool {
        let widget = view.widget
        guard let parent = gtk_widget_get_parent(widget), let native = gtk_widget_get_native(widget),
            let renderer = gtk_native_get_renderer(native)
        else { return false }
        let snapshot = gtk_snapshot_new()!
        gtk_widget_snapshot_child(parent, widget, snapshot)
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return false }
        defer { gsk_render_node_unref(node) }
        var place = graphene_rect_t()
        guard gtk_widget_compute_bounds(widget, parent, &place) != 0 else { return false }
        place.origin.x += place.size.width / 2
        place.origin.y += place.size.height / 2
        place.size = graphene_size_t(width: 1, height: 1)
        let texture = gsk_renderer_render_texture(renderer, node, &place)
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        var pixel: UInt32 = 0
        withUnsafeMutableBytes(of: &pixel) {
            gdk_texture_download(texture, $0.bindMemory(to: UInt8.self).baseAddress, gsize($0.count))
        }
        return pixel >> 24 == 0xff
    }

    fileprivate func didPaint() { afterPaint() }
}

private let painted: @convention(c) (OpaquePointer?, gpointer?) -> Void = { _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated { Unmanaged<TestWindow>.fromOpaque(data!).takeUnretainedValue().didPaint() }
}
