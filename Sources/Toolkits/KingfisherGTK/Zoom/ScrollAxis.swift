import CGtk

enum ScrollAxis: Hashable, CaseIterable {
    case horizontal
    case vertical
}

/// A GtkAdjustment that a program, a scroll bar and a canvas share.
@MainActor final class SharedAdjustment {
    let pointer: UnsafeMutablePointer<GtkAdjustment>
    private let connection: SignalConnection
    private let didChange: () -> Void
    private var isConfiguring = false

    init(_ pointer: UnsafeMutablePointer<GtkAdjustment>, didChange: @escaping () -> Void) {
        self.pointer = pointer
        self.didChange = didChange
        connection = SignalConnection(adopting: g_object_ref_sink(UnsafeMutableRawPointer(pointer)))
        connection.connect(
            "value-changed", to: unsafeBitCast(valueChanged, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque())
    }

    // Isolated, as `SignalConnection` requires.
    isolated deinit {}

    /// The distance from the start, in points.
    var value: Double { gtk_adjustment_get_value(pointer) }
    /// The distance from the end, in points.
    var valueFromEnd: Double {
        gtk_adjustment_get_upper(pointer) - gtk_adjustment_get_page_size(pointer) - value
    }

    /// Sets lengths in points, without a call of `didChange`.
    func configure(value: Double, upper: Double, page: Double) {
        isConfiguring = true
        gtk_adjustment_configure(pointer, value, 0, upper, page * 0.1, page * 0.9, page)
        isConfiguring = false
    }

    fileprivate func valueDidChange() {
        if !isConfiguring { didChange() }
    }
}

private let valueChanged: @convention(c) (OpaquePointer?, gpointer?) -> Void = { _, data in
    nonisolated(unsafe) let data = data  // GTK calls on the main thread.
    MainActor.assumeIsolated {
        Unmanaged<SharedAdjustment>.fromOpaque(data!).takeUnretainedValue().valueDidChange()
    }
}
