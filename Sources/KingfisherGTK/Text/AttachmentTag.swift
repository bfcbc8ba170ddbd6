import CGtk
import Foundation

/// The text tags on pictures: they raise pictures above the baseline, and have them laid out and drawn anew.
///
/// GTK watches the tags of a text, but not its paintables. There is one tag for each height that occurs.
@MainActor enum AttachmentTag {
    private static let prefix = "kingfisher-attachment"

    /// Tags `paintable`, which was inserted or has changed its size, wherever it stands in `buffer`.
    static func layOut(_ paintable: OpaquePointer, in buffer: UnsafeMutablePointer<GtkTextBuffer>) {
        let tag = tag(of: paintable, in: buffer)
        var start = GtkTextIter()
        gtk_text_buffer_get_start_iter(buffer, &start)
        repeat {
            guard gtk_text_iter_get_paintable(&start) == paintable else { continue }
            var end = start
            gtk_text_iter_forward_char(&end)
            if gtk_text_iter_has_tag(&start, tag) == 0 {
                removeTags(from: start, to: end, in: buffer)
                gtk_text_buffer_apply_tag(buffer, tag, &start, &end)
            }
        } while gtk_text_iter_forward_find_char(
            &start, { character, _ in character == 0xFFFC ? 1 : 0 }, nil, nil) != 0
        gtk_text_tag_changed(tag, 1)
    }

    /// Has `paintable` drawn again in `buffer`.
    static func draw(_ paintable: OpaquePointer, in buffer: UnsafeMutablePointer<GtkTextBuffer>) {
        gtk_text_tag_changed(tag(of: paintable, in: buffer), 0)
    }

    /// The tag that `paintable` should have.
    private static func tag(
        of paintable: OpaquePointer, in buffer: UnsafeMutablePointer<GtkTextBuffer>
    ) -> UnsafeMutablePointer<GtkTextTag>? {
        let points = Int32(clamping: Int((AttachmentContent.rise(of: paintable) ?? 0).rounded()))
        let table = gtk_text_buffer_get_tag_table(buffer)
        let name = "\(prefix)\(points)"
        if let known = gtk_text_tag_table_lookup(table, name) { return known }
        let tag = gtk_text_tag_new(name)
        var rise = GValue()
        g_value_init(&rise, g_type_from_name("gint"))
        g_value_set_int(&rise, points.multipliedReportingOverflow(by: PANGO_SCALE).partialValue)
        if points != 0 { g_object_set_property(gObject(tag), "rise", &rise) }
        gtk_text_tag_table_add(table, tag)
        // The table keeps it.
        g_object_unref(tag)
        return tag
    }

    private static func removeTags(
        from start: GtkTextIter, to end: GtkTextIter, in buffer: UnsafeMutablePointer<GtkTextBuffer>
    ) {
        var (start, end) = (start, end)
        let tags = gtk_text_iter_get_tags(&start)
        defer { g_slist_free(tags) }
        var next = tags
        while let node = next {
            let tag = node.pointee.data.assumingMemoryBound(to: GtkTextTag.self)
            if isOurs(tag) { gtk_text_buffer_remove_tag(buffer, tag, &start, &end) }
            next = node.pointee.next
        }
    }

    private static func isOurs(_ tag: UnsafeMutablePointer<GtkTextTag>) -> Bool {
        var name = GValue()
        g_value_init(&name, g_type_from_name("gchararray"))
        g_object_get_property(gObject(tag), "name", &name)
        defer { g_value_unset(&name) }
        return g_value_get_string(&name).map { String(cString: $0).hasPrefix(prefix) } ?? false
    }

    private static func gObject(
        _ tag: UnsafeMutablePointer<GtkTextTag>?
    ) -> UnsafeMutablePointer<GObject>? {
        UnsafeMutableRawPointer(tag)?.assumingMemoryBound(to: GObject.self)
    }
}
