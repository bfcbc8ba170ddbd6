import CAdwaita
import KingfisherGTK

/// An avatar of libadwaita.
@MainActor final class AvatarExhibit: ViewExhibit {
    let tile: Tile
    private let avatar = adw_avatar_new(96, "Eileen Collins", 1)!
    private let photo = ImageView()

    init() {
        tile = Tile(PhotoFrame.make(around: avatar), title: "AdwAvatar", code: "photo.kf.gdkPaintable()")
    }

    var hasLoaded: Bool { photo.image != nil && adw_avatar_get_custom_image(avatar.opaque) != nil }

    func load(from url: (Photo) -> URL) {
        load(url(.astronaut), of: photo, into: avatar.opaque)
    }

    /// Shows a photo instead of the initials once it has been loaded. `photo` is a view without a widget.
    func load(_ url: URL, of photo: ImageView, into avatar: OpaquePointer) {
        let size = CGSize(width: 192, height: 192)
        photo.kf.setImage(with: url, options: [.processor(DownsamplingImageProcessor(size: size))]) {
            result in
            guard case .success = result else { return }
            let paintable = photo.kf.gdkPaintable()
            adw_avatar_set_custom_image(avatar, paintable)
            g_object_unref(UnsafeMutableRawPointer(paintable))
        }
    }
}
