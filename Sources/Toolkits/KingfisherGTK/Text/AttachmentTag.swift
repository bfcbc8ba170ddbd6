import CGtk
import Foundation

/// The text tags that move images above or below the baseline; one for each height.
///
/// GTK updates the layout when a paintable changes, but only a tag changes its vertical position.
@MainActor enum AttachmentTag {
    private static let prefix = "kingfisher-attachment"

    static func raise(_ paintable: OpaquePointer, in buffer: UnsafeMutablePointer<GtkTextBuffer>) {
        guard let content = AttachmentContent.of(paintable), content.rise != content.shownRise,
            let (start, end) = range(of: paintable, in: buffer)
        else { return }
        content.shownRise = content.rise
        removeTags(from: start, to: end, in: buffer)
        guard content.rise != 0 else { return }
        var (first, last) = (start, end)
        gtk_text_buffer_apply_tag(buffer, tag(rise: content.rise, in: buffer), &first, &last)
    }

    private static func range(
        of paintable: OpaquePointer, in buffer: UnsafeMutablePointer<GtkTextBuffer>
    ) -> (GtkTextIter, GtkTextIter)? {
        var start = GtkTextIter()
        gtk_text_buffer_get_start_iter(buffer, &start)
        repeat {
            guard gtk_text_iter_get_paintable(&start) == paintable else { continue }
            var end = start
            gtk_text_iter_forward_char(&end)
            return (start, end)
        } while gtk_text_iter_forward_find_char(
            &start, { character, _ in character == 0xFFFC ? 1 : 0 }, nil, nil) != 0
        return nil
    }

    private static func tag(
        rise: Int32, in buffer: UnsafeMutablePointer<GtkTextBuffer>
    ) -> UnsafeMutablePointer<GtkTextTag>? {
        let (table, name) = (gtk_text_buffer_get_tag_table(buffer), "\(prefix)\(rise)")
        if let known = gtk_text_tag_table_lookup(table, name) { return known }
        let tag = gtk_text_tag_new(name)
        var value = GValue()
        g_value_init(&value, g_type_from_name("gint"))
        g_value_set_int(&value, rise * PANGO_SCALE)
        g_object_set_property(gObject(tag), "rise", &value)
        gtk_text_tag_table_add(table, tag)
        // The table holds a reference.
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
