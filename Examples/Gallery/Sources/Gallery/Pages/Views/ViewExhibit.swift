import KingfisherGTK

@MainActor protocol ViewExhibit: AnyObject {
    var tile: Tile { get }
    var hasLoaded: Bool { get }
    func load(from url: (Photo) -> URL)
}
