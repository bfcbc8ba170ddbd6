public import CGtk
public import Kingfisher

extension TextAttachment {
    /// Inserts the image into a GtkTextBuffer, where it counts as one character.
    ///
    /// The text retains the attachment, and updates its layout when the image or its size changes. An
    /// attachment may be inserted more than once. Templates take the text colour in a `TextView` only,
    /// because a buffer has no colour.
    ///
    /// - Parameter offset: the index of the character before which the image is inserted; nil, or an index
    ///   beyond the text, appends it.
    public func insert(into buffer: UnsafeMutablePointer<GtkTextBuffer>, at offset: Int? = nil) {
        insert(into: buffer, at: offset, style: { nil })
    }

    func insert(
        into buffer: UnsafeMutablePointer<GtkTextBuffer>, at offset: Int? = nil,
        style: @escaping () -> ImageStyle?
    ) {
        var place = GtkTextIter()
        gtk_text_buffer_get_iter_at_offset(buffer, &place, offset.map { Int32(clamping: max($0, 0)) } ?? -1)
        Paintable(AttachmentContent(self, style: style)).withPointer { paintable in
            gtk_text_buffer_insert_paintable(buffer, &place, paintable)
            AttachmentTag.raise(paintable, in: buffer)
            // Disconnected when the buffer or the paintable is destroyed.
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
