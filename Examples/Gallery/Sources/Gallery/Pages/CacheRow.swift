import CAdwaita
import KingfisherGTK
import KingfisherWebP

@MainActor final class CacheRow {
    let url: URL
    let widget: Widget
    private(set) var isLoaded = false
    private let imageView = ImageView()
    private let tag = Widget.label("", "tag").aligned(GTK_ALIGN_CENTER, GTK_ALIGN_CENTER)
    private let options: KingfisherOptionsInfo
    /// Text that follows the origin of the image.
    private let note: String

    init(_ photo: Photo, at url: URL, expiresSoon: Bool) {
        self.url = url
        let lifetime = StorageExpiration.seconds(30)
        options = expiresSoon ? [.memoryCacheExpiration(lifetime), .diskCacheExpiration(lifetime)] : []
        let format = photo.format == .webP ? " · WebP" : ""
        note = format + (expiresSoon ? " · expires after 30 s" : "")
        widget = adw_action_row_new()
        imageView.contentMode = .scaleAspectFill
        let frame = PhotoFrame.make(around: imageView.widget, width: 56, height: 42).styled("thumbnail")
        adw_preferences_row_set_title(widget.cast(), photo.title)
        adw_action_row_set_subtitle(widget.cast(), "Not loaded yet")
        adw_action_row_add_prefix(widget.cast(), frame.aligned(GTK_ALIGN_CENTER, GTK_ALIGN_CENTER))
        adw_action_row_add_suffix(widget.cast(), tag)
        let removal = Widget.button(icon: "user-trash-symbolic", tooltip: "Remove From Cache") { [url] in
            KingfisherManager.shared.cache.removeImage(forKey: url.cacheKey)
        }
        adw_action_row_add_suffix(
            widget.cast(), removal.styled("flat", "circular").aligned(GTK_ALIGN_CENTER, GTK_ALIGN_CENTER))
        gtk_list_box_row_set_activatable(widget.cast(), 1)
        connect(widget, "activated") { [weak self] in self?.load() }
        show(.none)
    }

    func load() {
        isLoaded = false
        let start = ContinuousClock.now
        imageView.kf.setImage(with: url, options: options) { [weak self] result in
            guard let self else { return }
            if case .success = result { isLoaded = true }
            let time = (ContinuousClock.now - start) / .milliseconds(1)
            let text =
                switch result {
                case .success(let value): String(format: "\(value.cacheType.origin) in %.1f ms", time) + note
                case .failure(let error): error.localizedDescription
                }
            adw_action_row_set_subtitle(widget.cast(), text)
        }
    }

    func show(_ type: CacheType) {
        let name = "\(type)"
        tag.setText(type == .none ? "not cached" : name)
        for other in ["none", "memory", "disk"] { gtk_widget_remove_css_class(tag, other) }
        tag.styled(name)
    }
}

extension CacheType {
    fileprivate var origin: String {
        switch self {
        case .none: "From the server"
        case .memory: "From memory"
        case .disk: "From disk"
        }
    }
}
