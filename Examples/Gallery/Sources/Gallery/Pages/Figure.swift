import KingfisherGTK

@MainActor struct Figure {
    let widget: Widget
    private let value = Widget.label("–", "figure")

    init(_ title: String) {
        widget = Widget.column(spacing: 2, Widget.label(title, "caption", "dim-label"), value)
            .styled("card", "stat").expanding(vertically: false)
    }

    func show(_ text: String) {
        value.setText(text)
    }
}

enum ByteCount {
    /// A localised size such as `3.2 MB`.
    static func text(_ count: UInt) -> String {
        guard let text = g_format_size(guint64(count)) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
