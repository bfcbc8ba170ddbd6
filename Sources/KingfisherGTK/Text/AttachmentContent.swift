import CGtk
import Foundation
import Kingfisher

/// A text attachment at one position of a text.
///
/// The text retains the paintable, which retains this object and the attachment: the attachment of an image
/// that is still loading may have no other owner.
@MainActor final class AttachmentContent: PaintableContent, TextAttachmentObserver {
    private let attachment: TextAttachment
    private let style: () -> ImageStyle?
    private var shown: DrawableImage?
    var shownRise: Int32 = 0
    /// Not retained: the paintable retains this object.
    private var paintable: OpaquePointer?

    static func withPaintable(
        for attachment: TextAttachment, style: @escaping () -> ImageStyle?, body: (OpaquePointer) -> Void
    ) {
        let content = AttachmentContent(attachment, style: style)
        Paintable(content).withPointer {
            content.paintable = $0
            body($0)
        }
    }

    private init(_ attachment: TextAttachment, style: @escaping () -> ImageStyle?) {
        self.attachment = attachment
        self.style = style
        attachment.addObserver(self)
    }

    var size: CGSize { attachment.layoutBounds.size }

    func draw(on snapshot: OpaquePointer, size: CGSize) {
        let image = attachment.image?.variant(for: DesktopSettings.shared.appearance)
        if shown?.image !== image { shown = DrawableImage(image) }
        guard let shown, size.width > 0, size.height > 0 else { return }
        let frame = CGRect(origin: .zero, size: size)
        if let style = style() {
            shown.draw(in: frame, on: snapshot, style: style)
        } else {
            shown.draw(in: frame, on: snapshot)
        }
    }

    func textAttachment(_ attachment: TextAttachment, didChange change: ViewChange) {
        guard let paintable else { return }
        if case .size = change { gdk_paintable_invalidate_size(paintable) }
        gdk_paintable_invalidate_contents(paintable)
    }

    var rise: Int32 { min(max(Int32(offset: attachment.bounds.minY.rounded()), -1000), 1000) }

    static func of(_ paintable: OpaquePointer) -> AttachmentContent? {
        Paintable.content(of: paintable) as? AttachmentContent
    }
}
