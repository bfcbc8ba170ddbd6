import KingfisherGTK

@MainActor func wait(
    for what: String, upTo seconds: Int = 20, until condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            throw Failure("timed out after \(seconds) s waiting for \(what)")
        }
        try await Task.sleep(for: .milliseconds(4))
    }
}

@MainActor extension UnsafeMutablePointer<GtkWidget> {
    func waitUntilDrawn() async throws {
        guard let clock = gtk_widget_get_frame_clock(self) else {
            throw Failure("the window is not on screen")
        }
        // The current frame may be past its layout phase, so the next one must also end.
        let last = gdk_frame_clock_get_frame_counter(clock) + 2
        try await wait(for: "frame on screen") {
            gtk_widget_queue_draw(self)
            return isOnScreen && gdk_frame_clock_get_frame_counter(clock) > last
        }
    }
}
