import KingfisherGTK

/// Something to look at on a card, with words below it.
@MainActor final class Tile {
    let widget: Widget
    private let head: Widget

    /// - Parameter code: the Swift behind it, on as many lines as it takes.
    init(_ content: Widget, title: String, detail: String = "", code: String = "") {
        let words = Widget.column(spacing: 3, Widget.label(title, "heading"))
        if !detail.isEmpty { words.append(Widget.label(detail, "caption", "dim-label").explained(detail)) }
        if !code.isEmpty { words.append(Widget.paragraph(Self.breakable(code), "code", "dim-label")) }
        head = Widget.row(words.expanding(vertically: false)).styled("words")
        widget = Widget.column(content, head).styled("card", "tile")
    }

    /// A card with an image that covers its upper part.
    convenience init(
        image imageView: ImageView, title: String, detail: String = "", code: String = "",
        height: Int32 = 150
    ) {
        imageView.contentMode = .scaleAspectFill
        let frame = PhotoFrame.make(around: imageView.widget, width: 190, height: height)
        self.init(frame, title: title, detail: detail, code: code)
    }

    /// Swift that breaks where people break it: behind a parenthesis or a comma and before an operator, not
    /// between a label and its argument. Unicode's own rules (UAX 14) are those of prose.
    private static func breakable(_ code: String) -> String {
        let (zeroWidthSpace, noBreakSpace, wordJoiner) = ("\u{200B}", "\u{A0}", "\u{2060}")
        return code.replacing("(", with: "(" + zeroWidthSpace).replacing(", ", with: ", " + zeroWidthSpace)
            .replacing(": ", with: ":" + noBreakSpace)
            .replacing("|> ", with: "|" + wordJoiner + ">" + noBreakSpace)
    }

    /// Adds a button beside the words.
    func addButton(icon: String, tooltip: String, _ action: @escaping @MainActor () -> Void) -> Widget {
        let button = Widget.button(icon: icon, tooltip: tooltip, action).styled("flat", "circular")
        head.append(button.aligned(GTK_ALIGN_END, GTK_ALIGN_CENTER))
        return button
    }

    /// Adds a widget below the words.
    func add(_ child: Widget) {
        widget.append(child.styled("more"))
    }
}
