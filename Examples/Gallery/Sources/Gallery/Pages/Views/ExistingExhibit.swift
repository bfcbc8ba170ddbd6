import KingfisherGTK

/// A GtkPicture that was created without Kingfisher.
@MainActor final class ExistingExhibit: ViewExhibit {
    let tile: Tile
    private let image = gtk_picture_new()!

    init() {
        gtk_picture_set_content_fit(image.opaque, GTK_CONTENT_FIT_COVER)
        tile = Tile(
            PhotoFrame.make(around: image), title: "GtkPicture", code: "image.kf?.setImage(…)")
    }

    var hasLoaded: Bool { ExistingWidget.of(image)?.image != nil }

    func load(from url: (Photo) -> URL) {
        image.kf?.setImage(with: url(.coffee))
    }
}
