import KingfisherGTK

/// A picture on a card, with words below it.
@MainActor final class Tile {
    let imageView: ImageView
    let widget: Widget
    private let words: Widget
    private let foot: Widget

    /// - Parameter code: the Swift behind it, or another detail, in a line of its own.
    init(
        title: String, detail: String = "", code: String = "", height: Int32 = 150,
        imageView: ImageView = ImageView()
    ) {
        self.imageView = imageView
        imageView.contentMode = .scaleAspectFill
        let photo = PhotoFrame.make(around: imageView, width: 200, height: height)
        words = Widget.column(spacing: 3, Widget.label(title, "heading")).styled("words")
        foot = Widget.row(words.expanding(vertically: false))
        widget = Widget.column(photo, foot).styled("card", "tile")
        if !detail.isEmpty { add(Widget.label(detail, "caption", "dim-label").explained(detail)) }
        if !code.isEmpty { add(Widget.label(code, "code", "dim-label").explained(code)) }
    }

    /// Adds a button at the end of the card.
    func addAccessory(_ child: Widget) {
        gtk_widget_set_margin_end(child, 8)
        gtk_box_append(foot.cast(), child.aligned(GTK_ALIGN_END, GTK_ALIGN_CENTER))
    }

    /// Adds a widget below the words.
    func add(_ child: Widget) {
        gtk_box_append(words.cast(), child)
    }
}
