import CGtk
public import Foundation
public import Kingfisher

/// The horizontal alignment of text; names and raw values are the same as in UIKit.
public enum TextAlignment: Int, Sendable {
    /// Aligned at the left.
    case left
    /// Centred.
    case center
    /// Aligned at the right.
    case right
    /// Aligned at both sides: wrapped lines fill the width.
    case justified
    /// Aligned at the start in the user's language.
    case natural
}

/// The name that code shared with Apple's systems uses for `TextAlignment`.
public typealias NSTextAlignment = TextAlignment

/// A view that shows a short text, such as a message in place of an image.
///
/// The text is centred unless `textAlignment` is set. With `extension Label: Placeholder {}` in the program,
/// a label can be the placeholder of an image view. Set further properties on the GtkLabel, which is
/// `content`.
@MainActor open class Label: WidgetView {
    /// The text, without markup; NUL characters are removed.
    open var text: String {
        get { String(cString: gtk_label_get_text(label)) }
        set {
            gtk_label_set_text(label, newValue.withoutNUL)
            accessibilityDidChange()
        }
    }

    /// A group, because the GtkLabel describes itself; named by `alternativeText` or the text.
    open override var accessibility: ViewAccessibility {
        ViewAccessibility(role: .group, label: alternativeText ?? text)
    }

    /// The colour of the text; nil uses the theme's.
    open var textColor: Color? {
        didSet { if textColor != oldValue { updateAttributes() } }
    }

    /// The height of the em square in points; nil or a value that is not finite uses the theme's.
    open var fontSize: CGFloat? {
        didSet { if fontSize != oldValue { updateAttributes() } }
    }

    /// The maximum number of lines, after which text is truncated with an ellipsis; 0 for no limit.
    open var numberOfLines = 1 {
        didSet { if numberOfLines != oldValue { updateLines() } }
    }

    /// The alignment of the lines in the label and relative to each other.
    open var textAlignment = TextAlignment.center {
        didSet { if textAlignment != oldValue { updateAlignment() } }
    }

    open override func environmentDidChange() {
        super.environmentDidChange()
        updateAlignment()
    }

    private var label: OpaquePointer { OpaquePointer(content) }

    /// Creates a label that shows `text` in one line.
    public init(_ text: String = "") {
        super.init(wrapping: gtk_label_new(text.withoutNUL))
        updateAlignment()
        gtk_label_set_wrap_mode(label, PANGO_WRAP_WORD_CHAR)
        updateLines()
    }

    private func updateAlignment() {
        // GTK's left is the start side of the widget's direction.
        let isMirrored = gtk_widget_get_direction(content) == GTK_TEXT_DIR_RTL
        let (justification, place): (GtkJustification, Float) =
            switch textAlignment {
            case .center: (GTK_JUSTIFY_CENTER, 0.5)
            case .justified: (GTK_JUSTIFY_FILL, 0)
            case .natural: (GTK_JUSTIFY_LEFT, 0)
            case .left: isMirrored ? (GTK_JUSTIFY_RIGHT, 1) : (GTK_JUSTIFY_LEFT, 0)
            case .right: isMirrored ? (GTK_JUSTIFY_LEFT, 0) : (GTK_JUSTIFY_RIGHT, 1)
            }
        gtk_label_set_justify(label, justification)
        gtk_label_set_xalign(label, place)
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
            // Pango treats an opacity of zero as "not set".
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
