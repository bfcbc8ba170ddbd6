import CGtk
import Foundation
import Kingfisher

/// A text attachment at one position of a text.
///
/// The text retains the paintable, which retains this object and the attachment: the attachment of an image
/// that is still loading may have no other owner.
@MainActor final class AttachmentContent: PaintableContent, TextAttachmentObserver {
    var paintable: OpaquePointer?
    private let attachment: TextAttachment
    private let style: () -> ImageStyle?
    private var shown: DrawableImage?
    var shownRise: Int32 = 0

    init(_ attachment: TextAttachment, style: @escaping () -> ImageStyle?) {
        self.attachment = attachment
        self.style = style
        attachment.addObserver(self)
    }

    isolated deinit { DesktopSettings.shared.remove(self) }

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
