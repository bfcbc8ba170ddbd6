import KingfisherGTK

/// Waits, with the main loop turning, until `condition` holds.
@MainActor func wait(
    for what: String, upTo seconds: Int = 20, until condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw Failure("no \(what) within \(seconds) s") }
        try await Task.sleep(for: .milliseconds(4))
    }
}

@MainActor extension UnsafeMutablePointer<GtkWidget> {
    /// Waits until GTK has drawn the widget as it is now.
    func waitUntilDrawn() async throws {
        guard let clock = gtk_widget_get_frame_clock(self) else {
            throw Failure("the window is not on screen")
        }
        // The frame under way may have passed its layout already, so the one after it has to end, too.
        let last = gdk_frame_clock_get_frame_counter(clock) + 2
        try await wait(for: "frame on screen") {
            gtk_widget_queue_draw(self)
            return isOnScreen && gdk_frame_clock_get_frame_counter(clock) > last
        }
    }
}
