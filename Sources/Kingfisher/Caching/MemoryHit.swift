import Foundation
import KingfisherImage

/// An image that memory has for a request.
enum MemoryHit: Sendable {
    /// It is as the request wants it.
    case ready(KFCrossPlatformImage)
    /// It was made again for such requests, of what is stored.
    case recreated(KFCrossPlatformImage, of: KFCrossPlatformImage)
    /// It is an animation that was made with other options; what it was made of is there to make it again.
    case outdated(KFCrossPlatformImage, AnimationMaterial)

    /// The image that can be delivered at once, if there is one.
    var image: KFCrossPlatformImage? {
        switch self {
        case .ready(let image), .recreated(let image, _): image
        case .outdated: nil
        }
    }

    /// What memory holds.
    var stored: KFCrossPlatformImage {
        switch self {
        case .ready(let stored), .recreated(_, let stored), .outdated(let stored, _): stored
        }
    }
}

/// What an animation in memory can be made of anew.
enum AnimationMaterial: Sendable {
    /// The bytes of the file that the image shows.
    case bytes(Data)
    /// The frames that those of the image were processed from.
    case originals(any ImageFrameSource)

    /// Whether `options` would make an animation in another way than it was made. Every hit asks: in a
    /// function of its own, because an initialiser takes a copy of the options.
    static func isOutdated(_ image: KFCrossPlatformImage, _ options: KingfisherParsedOptionsInfo) -> Bool {
        guard let count = image.kf.imageFrameCount, count > 1 else { return false }
        return image.kf.creatingOptions != options.imageCreatingOptions.ofAnimation
    }

    /// Nil for an image that `options` would make no other way, and for one that is no animation.
    init?(_ image: KFCrossPlatformImage, options: KingfisherParsedOptionsInfo) {
        guard Self.isOutdated(image, options) else { return nil }
        if let frames = image.kf.originalFrames {
            self = .originals(frames)
        } else if let data = image.kf.animatedData {
            self = .bytes(data)
        } else {
            return nil
        }
    }

    /// What the image is made of first.
    var item: ImageProcessItem? {
        switch self {
        case .bytes(let data): .data(data)
        case .originals(let frames): frames.data.map { .data($0) }
        }
    }

    /// Makes the image as `options` ask for it.
    func image(with options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        options.decodingContext.run { made(with: options) }
    }

    private func made(with options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        let processor = options.processor
        switch self {
        case .bytes(let data) where processor is FramewiseImageProcessor:
            // The bytes of processed frames come from the disk, where the serializer wrote them, and are not
            // to be processed twice; a serializer that encrypts has decrypted them before. What neither it
            // nor a codec can read are the source's own, which passed the processor unchanged.
            return options.cacheSerializer.image(with: data, options: options)
                ?? ImageProcessItem.data(data).decoded(with: options)
                ?? processor.process(item: .data(data), options: options)
        case .bytes(let data):
            return processor.process(item: .data(data), options: options)
        case .originals(let frames):
            if let data = frames.data { return processor.process(item: .data(data), options: options) }
            let creating = ImageCreatingOptions(scale: options.scaleFactor)
            guard let image = try? Image.animated(frames.copy(), options: creating) else { return nil }
            return processor.process(item: .image(image), options: options)
        }
    }
}
