internal import Foundation
internal import KingfisherGTK

/// A panel with what a photo says about itself, and the button that shows it.
@MainActor package final class PhotoDetails {
    let button = Widget.button("document-properties-symbolic", "Details", toggles: true)
    let panel = gtk_scrolled_window_new()!
    private let label = Widget.label(wraps: true)
    private var reading: Task<Void, Never>?
    var photo: URL? {
        didSet { update() }
    }

    package var text: String { String(cString: gtk_label_get_text(label.opaque)) }

    init() {
        // One text that the keyboard reaches and screen readers read.
        gtk_label_set_selectable(label.opaque, 1)
        gtk_label_set_xalign(label.opaque, 0)
        gtk_widget_set_valign(label, GTK_ALIGN_START)
        gtk_widget_add_css_class(panel, "background")
        gtk_widget_set_halign(panel, GTK_ALIGN_END)
        gtk_widget_set_size_request(panel, 260, -1)
        kf_gtk_set_accessible_label(panel, "Details")
        let margins = Widget.bar().with(label)
        gtk_widget_set_margin_start(margins, 6)
        gtk_scrolled_window_set_policy(panel.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(panel.opaque, margins)
        gtk_widget_set_visible(panel, 0)
        button.onSignal("toggled") { [weak self] _ in self?.update() }
    }

    private func update() {
        let isShown = gtk_widget_get_state_flags(button).rawValue & GTK_STATE_FLAG_CHECKED.rawValue != 0
        gtk_widget_set_visible(panel, isShown ? 1 : 0)
        reading?.cancel()
        guard isShown, let photo else { return }
        reading = Task { [label] in
            let markup = (try? await Self.markup(of: photo)) ?? "The file cannot be read."
            if !Task.isCancelled { gtk_label_set_markup(label.opaque, markup) }
        }
    }

    /// A paragraph for each fact, in Pango's markup.
    @concurrent private static func markup(of photo: URL) async throws -> String {
        let file = try Data(contentsOf: photo)
        return facts(try ImageMetadata(of: file), bytes: file.count).compactMap { name, text in
            guard let text, !text.isEmpty, let escaped = g_markup_escape_text(text, -1) else { return nil }
            defer { g_free(escaped) }
            return "<small>\(name)</small>\n\(String(cString: escaped))"
        }.joined(separator: "\n\n")
    }

    private nonisolated static func facts(_ photo: ImageMetadata, bytes: Int) -> [(String, String?)] {
        let (exif, iptc) = (photo.exif, photo.iptc)
        let size = photo.orientation.swapsSides ? photo.pixelSize.swapped : photo.pixelSize
        let exposure = [
            exif?.exposureTime.map { $0 < 0.3 ? "1/\((1 / $0).rounded().formatted()) s" : "\($0) s" },
            exif?.fNumber.map { "f/\($0)" }, exif?.iso.map { "ISO \($0)" },
            exif?.focalLength.map { "\($0.formatted()) mm" }, exif?.flashFired == true ? "flash" : nil,
        ]
        let position = [photo.location?.latitude, photo.location?.longitude].map { degrees in
            degrees.map { String(format: "%.5f°", $0) }
        }
        return [
            ("Size", "\(size.width) × \(size.height) pixels"),
            ("File", "\(photo.format.name), \(bytes.formatted(.byteCount(style: .file)))"),
            ("Title", iptc?.title ?? exif?.imageDescription),
            ("Caption", iptc?.caption),
            ("Keywords", iptc?.keywords.joined(separator: ", ")),
            ("Taken", (exif?.dateTaken ?? iptc?.dateCreated)?.description.replacing("T", with: " ")),
            ("Camera", joined([exif?.make, exif?.model], " ")),
            ("Lens", joined([exif?.lensMake, exif?.lensModel], " ")),
            ("Exposure", joined(exposure, ", ")),
            ("Place", joined([iptc?.city, iptc?.country], ", ")),
            ("Position", joined(position, ", ")),
            ("Photographer", exif?.artist ?? iptc?.bylines.joined(separator: ", ")),
            ("Copyright", exif?.copyright ?? iptc?.copyright),
            ("Colours", photo.colorProfileName),
        ]
    }

    private nonisolated static func joined(_ parts: [String?], _ separator: String) -> String? {
        parts.compactMap(\.self).joined(separator: separator)
    }
}
