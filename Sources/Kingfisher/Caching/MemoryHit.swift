import Foundation
import KingfisherImage

/// An image that memory has for a request.
enum MemoryHit: Sendable {
    /// The stored image fits the request's decoding options.
    case ready(KFCrossPlatformImage)
    /// An equal request has recreated the stored image with these options, and that result is in use.
    case recreated(KFCrossPlatformImage, of: KFCrossPlatformImage)
    /// The stored image is an animation that was decoded with other options. It is recreated from its source.
    case outdated(KFCrossPlatformImage, AnimationSource)

    /// The image to deliver; nil if it has to be recreated first.
    var image: KFCrossPlatformImage? {
        switch self {
        case .ready(let image), .recreated(let image, _): image
        case .outdated: nil
        }
    }

    var stored: KFCrossPlatformImage {
        switch self {
        case .ready(let stored), .recreated(_, let stored), .outdated(let stored, _): stored
        }
    }
}

/// The data from which an animation in memory can be recreated.
enum AnimationSource: Sendable {
    /// The bytes of the file.
    case bytes(Data)
    /// The unprocessed frames.
    case originals(any ImageFrameSource)

    /// Whether `options` differ from the decoding options of an animation. Called for every memory hit, so
    /// not part of the initializer, which would copy the options.
    static func isOutdated(_ image: KFCrossPlatformImage, _ options: KingfisherParsedOptionsInfo) -> Bool {
        guard let count = image.kf.imageFrameCount, count > 1 else { return false }
        return image.kf.creatingOptions != options.imageCreatingOptions.ofAnimation
    }

    /// Nil if the image is not an animation, or was decoded with equal options.
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

    /// The item for estimating the memory of decoding.
    var item: ImageProcessItem? {
        switch self {
        case .bytes(let data): .data(data)
        case .originals(let frames): frames.data.map { .data($0) }
        }
    }

    /// Recreates the image with `options`.
    func image(with options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        options.decodingContext.run { recreated(with: options) }
    }

    private func recreated(with options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        let processor = options.processor
        switch self {
        case .bytes(let data) where processor is FramewiseImageProcessor:
            // An image with bytes and a framewise processor was read from disk, where its frames are already
            // processed, so it is only decoded: by the serializer, or by a codec if the serializer encrypts,
            // because these bytes are decrypted. If neither reads them, they are the source's own bytes,
            // which the processor can read.
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
