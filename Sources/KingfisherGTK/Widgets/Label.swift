import CGtk
public import Foundation
public import Kingfisher

/// A view that shows a short text in its middle, such as the words that stand in for a picture.
///
/// With `extension Label: Placeholder {}` in the program, a label is a placeholder of an image view. What is
/// not offered here can be set at the GtkLabel, which is `content`.
@MainActor open class Label: WidgetView {
    /// The text, without markup; NUL characters are left out.
    open var text: String {
        get { String(cString: gtk_label_get_text(label)) }
        set { gtk_label_set_text(label, newValue.withoutNUL) }
    }

    /// The colour of the text; nil takes the theme's.
    open var textColor: Color? {
        didSet { if textColor != oldValue { updateAttributes() } }
    }

    /// Height of the text's em square in points; nil, or a height that is not finite, takes the theme's.
    open var fontSize: CGFloat? {
        didSet { if fontSize != oldValue { updateAttributes() } }
    }

    /// Over how many lines a long text is broken before its rest becomes an ellipsis; 0 for as many as it
    /// takes.
    open var numberOfLines = 1 {
        didSet { if numberOfLines != oldValue { updateLines() } }
    }

    private var label: OpaquePointer { OpaquePointer(content) }

    /// Shows `text` in one line.
    public init(_ text: String) {
        super.init(wrapping: gtk_label_new(text.withoutNUL))
        gtk_label_set_justify(label, GTK_JUSTIFY_CENTER)
        gtk_label_set_wrap_mode(label, PANGO_WRAP_WORD_CHAR)
        updateLines()
    }

    private func updateLines() {
        gtk_label_set_wrap(label, numberOfLines == 1 ? 0 : 1)
        gtk_label_set_ellipsize(label, numberOfLines > 0 ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE)
        gtk_label_set_lines(label, numberOfLines > 0 ? Int32(clamping: numberOfLines) : -1)
    }

    private func updateAttributes() {
        let attributes = pango_attr_list_new()
        if let textColor {
            func channel(_ value: CGFloat) -> UInt16 {
                value.isNaN ? 0 : UInt16(min(max(value, 0), 1) * 65535)
            }
            pango_attr_list_insert(
                attributes,
                pango_attr_foreground_new(
                    channel(textColor.red), channel(textColor.green), channel(textColor.blue)))
            // Pango takes an opacity of zero for "not set".
            let alpha = max(channel(textColor.alpha), 1)
            pango_attr_list_insert(attributes, pango_attr_foreground_alpha_new(alpha))
        }
        if let fontSize, fontSize.isFinite {
            let size = Int32(min(max(fontSize, 1), 10_000) * CGFloat(PANGO_SCALE))
            pango_attr_list_insert(attributes, pango_attr_size_new_absolute(size))
        }
        gtk_label_set_attributes(label, attributes)
        pango_attr_list_unref(attributes)
    }
}
