import Foundation
import KingfisherImage

/// The data from which an animation in memory can be recreated.
enum AnimationSource: Sendable {
    case bytes(Data)
    case originals(any ImageFrameSource)

    /// Whether `options` differ from the decoding options of an animation. Called for every memory hit, so
    /// not part of the initializer, which would copy the options.
    static func isOutdated(_ image: KFCrossPlatformImage, _ options: KingfisherParsedOptionsInfo) -> Bool {
        guard let count = image.kf.imageFrameCount, count > 1 else { return false }
        return image.kf.creatingOptions != options.imageCreatingOptions.ofAnimation
    }

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
