import KingfisherGTK

/// A picture on a card, with words below it.
@MainActor final class Cell {
    let imageView = ImageView()
    let widget: Widget

    /// - Parameter figures: how many lines of figures there will be below the caption.
    init(caption: String, figures: Int = 0) {
        imageView.contentMode = .scaleAspectFit
        widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_widget_add_css_class(widget, "cell")
        gtk_widget_set_size_request(imageView.widget, 220, 150)
        gtk_widget_set_vexpand(imageView.widget, 1)
        gtk_box_append(cast(widget), imageView.widget)
        addLine(caption, class: "caption")
        figureLabels = (0..<figures).map { _ in addLine("", class: "figures") }
    }

    private var figureLabels: [Widget] = []

    /// Shows a picture and the lines below its caption.
    func show(_ image: Image, figures: [String]) {
        imageView.image = image
        for (label, text) in zip(figureLabels, figures) {
            gtk_label_set_text(OpaquePointer(label), text)
        }
    }

    @discardableResult
    private func addLine(_ text: String, class name: String) -> Widget {
        let label = gtk_label_new(text)!
        gtk_widget_add_css_class(label, name)
        gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_END)
        gtk_box_append(cast(widget), label)
        return label
    }
}
