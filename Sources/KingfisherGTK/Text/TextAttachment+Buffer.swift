public import CGtk
public import Kingfisher

extension TextAttachment {
    /// Puts the image into a GtkTextBuffer, where it counts as one character.
    ///
    /// The text keeps the attachment, and is laid out anew when the image or its size changes. The same
    /// attachment may stand in many places. Templates have the colour of the text in a `TextView` only: a
    /// buffer has none.
    ///
    /// - Parameter offset: the character in front of which it stands; nil, or one beyond the
    ///   text, for the end.
    public func insert(into buffer: UnsafeMutablePointer<GtkTextBuffer>, at offset: Int? = nil) {
        insert(into: buffer, at: offset, style: { nil })
    }

    func insert(
        into buffer: UnsafeMutablePointer<GtkTextBuffer>, at offset: Int? = nil,
        style: @escaping () -> ImageStyle?
    ) {
        var place = GtkTextIter()
        gtk_text_buffer_get_iter_at_offset(buffer, &place, offset.map { Int32(clamping: max($0, 0)) } ?? -1)
        AttachmentContent.withPaintable(for: self, style: style) { paintable in
            gtk_text_buffer_insert_paintable(buffer, &place, paintable)
            AttachmentTag.raise(paintable, in: buffer)
            // Gone with the buffer or the paintable, whichever is first.
            g_signal_connect_object(
                UnsafeMutableRawPointer(paintable), "invalidate-size",
                unsafeBitCast(sizeChanged, to: GCallback.self), buffer, GConnectFlags(rawValue: 0))
        }
    }
}

private let sizeChanged: @convention(c) (OpaquePointer?, UnsafeMutablePointer<GtkTextBuffer>?) -> Void = {
    nonisolated(unsafe) let (paintable, buffer) = ($0!, $1!)
    MainActor.assumeIsolated { AttachmentTag.raise(paintable, in: buffer) }
}
