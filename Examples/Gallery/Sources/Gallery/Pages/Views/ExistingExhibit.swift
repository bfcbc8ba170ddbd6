import KingfisherGTK

/// A GtkPicture that the program has made itself.
@MainActor final class ExistingExhibit: ViewExhibit {
    let tile: Tile
    private let picture = gtk_picture_new()!

    init() {
        gtk_picture_set_content_fit(picture.opaque, GTK_CONTENT_FIT_COVER)
        tile = Tile(
            PhotoFrame.make(around: picture), title: "GtkPicture", code: "picture.kf?.setImage(…)")
    }

    var hasLoaded: Bool { ExistingWidget.of(picture)?.image != nil }

    func load(from url: (Photo) -> URL) {
        picture.kf?.setImage(with: url(.coffee))
    }
}
