public import CGtk
public import Kingfisher

/// A view that shows text with images in it.
///
/// Long lines wrap. Set further properties on the GtkTextView, which is `content`. To scroll, put the view's
/// widget into a GtkScrolledWindow.
@MainActor open class TextView: WidgetView {
    /// The text; each image is one U+FFFC. Setting the text removes all images. NUL characters are removed.
    open var text: String {
        get {
            var (start, end) = (GtkTextIter(), GtkTextIter())
            gtk_text_buffer_get_bounds(buffer, &start, &end)
            guard let text = gtk_text_buffer_get_slice(buffer, &start, &end, 1) else { return "" }
            defer { g_free(text) }
            return String(cString: text)
        }
        set {
            let text = newValue.withoutNUL
            gtk_text_buffer_set_text(buffer, text, Int32(clamping: text.utf8.count))
        }
    }

    /// Whether the user may change the text.
    open var isEditable: Bool {
        get { gtk_text_view_get_editable(textView) != 0 }
        set {
            gtk_text_view_set_editable(textView, newValue ? 1 : 0)
            gtk_text_view_set_cursor_visible(textView, newValue ? 1 : 0)
        }
    }

    /// The GTK buffer of the text; valid as long as the view lives.
    public var buffer: UnsafeMutablePointer<GtkTextBuffer> { gtk_text_view_get_buffer(textView) }

    private var textView: UnsafeMutablePointer<GtkTextView> {
        UnsafeMutableRawPointer(content).assumingMemoryBound(to: GtkTextView.self)
    }

    /// Creates a view that shows `text`; the user cannot edit it unless `isEditable` is set.
    public init(_ text: String = "") {
        super.init(wrapping: gtk_text_view_new())
        gtk_text_view_set_wrap_mode(textView, GTK_WRAP_WORD_CHAR)
        isEditable = false
        if !text.isEmpty { self.text = text }
    }

    /// Appends `text`, without its NUL characters.
    open func append(_ text: String) {
        let text = text.withoutNUL
        var end = GtkTextIter()
        gtk_text_buffer_get_end_iter(buffer, &end)
        gtk_text_buffer_insert(buffer, &end, text, Int32(clamping: text.utf8.count))
    }

    /// Appends the image of `attachment`; the text updates when `kf.setImage` changes the attachment.
    open func append(_ attachment: TextAttachment) {
        attachment.insert(into: buffer) { [weak self] in (self?.content).map(ImageStyle.init(of:)) }
    }
}
