import KingfisherGTK

@MainActor final class Tile {
    let widget: Widget
    private let head: Widget

    /// - Parameter code: the Swift code that the card demonstrates; it wraps.
    init(_ content: Widget, title: String, detail: String = "", code: String = "") {
        let words = Widget.column(spacing: 3, Widget.label(title, "heading"))
        if !detail.isEmpty { words.append(Widget.label(detail, "caption", "dim-label").explained(detail)) }
        if !code.isEmpty { words.append(Widget.paragraph(Self.breakable(code), "code", "dim-label")) }
        head = Widget.row(words.expanding(vertically: false)).styled("words")
        widget = Widget.column(content, head).styled("card", "tile")
    }

    convenience init(
        image imageView: ImageView, title: String, detail: String = "", code: String = "",
        height: Int32 = 150
    ) {
        imageView.contentMode = .scaleAspectFill
        let frame = PhotoFrame.make(around: imageView.widget, width: 190, height: height)
        self.init(frame, title: title, detail: detail, code: code)
    }

    /// Allows line breaks after a parenthesis or comma and before an operator, not between a label and its
    /// argument. Unicode's own rules (UAX 14) are for prose.
    private static func breakable(_ code: String) -> String {
        let (zeroWidthSpace, noBreakSpace, wordJoiner) = ("\u{200B}", "\u{A0}", "\u{2060}")
        return code.replacing("(", with: "(" + zeroWidthSpace).replacing(", ", with: ", " + zeroWidthSpace)
            .replacing(": ", with: ":" + noBreakSpace)
            .replacing("|> ", with: "|" + wordJoiner + ">" + noBreakSpace)
    }

    func addButton(icon: String, tooltip: String, _ action: @escaping @MainActor () -> Void) -> Widget {
        let button = Widget.button(icon: icon, tooltip: tooltip, action).styled("flat", "circular")
        head.append(button.aligned(GTK_ALIGN_END, GTK_ALIGN_CENTER))
        return button
    }

    func add(_ child: Widget) {
        widget.append(child.styled("more"))
    }
}
