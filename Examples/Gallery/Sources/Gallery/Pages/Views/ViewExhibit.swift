import KingfisherGTK

/// A card of the views page.
@MainActor protocol ViewExhibit: AnyObject {
    var tile: Tile { get }
    /// Whether every image is there.
    var hasLoaded: Bool { get }
    /// Loads the images from where `url` says.
    func load(from url: (Photo) -> URL)
}
