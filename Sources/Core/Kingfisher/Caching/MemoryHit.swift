import KingfisherImage

/// An image in memory: ready to deliver; recreated, because an equal request has recreated it with these
/// options and that image is in use; or outdated, an animation that was decoded with other options and has to
/// be recreated.
enum MemoryHit: Sendable {
    case ready(KFCrossPlatformImage)
    case recreated(KFCrossPlatformImage, of: KFCrossPlatformImage)
    case outdated(KFCrossPlatformImage)

    var image: KFCrossPlatformImage? {
        switch self {
        case .ready(let image), .recreated(let image, _): image
        case .outdated: nil
        }
    }

    var stored: KFCrossPlatformImage {
        switch self {
        case .ready(let stored), .recreated(_, let stored), .outdated(let stored): stored
        }
    }
}
