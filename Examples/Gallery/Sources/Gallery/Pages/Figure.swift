import KingfisherGTK

/// A number in large print on a card, with its meaning above it.
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
    /// Such as `3.2 MB`, as the user's language writes it.
    static func text(_ count: UInt) -> String {
        guard let text = g_format_size(guint64(count)) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
