import Foundation
import KingfisherConcurrency
import KingfisherImage

/// The identifiers of the processors that made the reduced images of a memory cache, by the key of their
/// source, so that a view finds a smaller image of its source (`.lowResolution`).
///
/// An identifier says what may be in memory; the memory storage says what is. Holds images weakly. Safe from
/// any thread.
final class ReducedImages: Sendable {
    private let images = WeakTable<BytewiseString, KFCrossPlatformImage, String>()

    func note(_ image: KFCrossPlatformImage, forKey key: String, processorIdentifier identifier: String) {
        // Most images of a program without processors end here.
        guard !identifier.isEmpty, ProcessorIdentifier.withoutSizes(identifier) != identifier else { return }
        images.update(image, forKey: BytewiseString(key)) { _ in identifier }
    }

    func identifiers(forKey key: String) -> [String] {
        images.entries(forKey: BytewiseString(key)).map(\.value)
    }
}

extension ProcessorIdentifier {
    private static let reducingSteps = ["Downsampling", "Fitting", "ViewSize"].map {
        make("\($0)ImageProcessor", "").dropLast()
    }

    /// The steps whose result at another size is their result, resized. A blur or a round corner is not:
    /// their radius is a length.
    private static let scalableSteps = [
        "BlackWhiteProcessor", "ColorControlsProcessor", "FlippingImageProcessor", "RotationImageProcessor",
        "TintImageProcessor",
    ].map { make($0, "").dropLast(2) }

    /// The identifier without the steps that only change the size of the result and keep its aspect ratio.
    /// Images of one source show the same, at different sizes, if this text is equal.
    static func withoutSizes(_ identifier: String) -> String {
        var isScalable = true
        let others = identifier.components(separatedBy: "|>").reversed().filter { step in
            if isScalable, isReducing(step) { return false }
            isScalable = isScalable && scalableSteps.contains { step.hasPrefix($0) }
            return true
        }
        return others.reversed().joined(separator: "|>")
    }

    private static func isReducing(_ step: String) -> Bool {
        reducingSteps.contains { step.hasPrefix($0) }
            || step.hasPrefix(make("ResizingImageProcessor", "").dropLast())
                && [ContentMode.aspectFit, .aspectFill].contains { step.hasSuffix(", \($0))") }
    }
}

extension ImageCache {
    /// The largest image in memory that shows the same as the requested one in fewer pixels; nil if there is
    /// none, and in a subclass.
    func smallerImageInMemory(
        of source: Source, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard !isSubclass else { return nil }
        let identifiers = Set(reduced.identifiers(forKey: source.cacheKey))
        guard !identifiers.isEmpty else { return nil }
        let processor = options.processor
        let shown = ProcessorIdentifier.withoutSizes(processor.identifier)
        let images = identifiers.compactMap { identifier -> KFCrossPlatformImage? in
            guard ProcessorIdentifier.withoutSizes(identifier) == shown else { return nil }
            let key = source.cacheKey.computedKey(with: identifier)
            guard let image = memoryStorage.value(forKey: key, extendingExpiration: .none),
                isUsable(notes.freshness(of: image, forKey: key), of: source, options),
                !processor.stages.contains(where: { $0.reduces(image, options) })
            else { return nil }
            return image
        }
        return images.max { $0.pixelCount < $1.pixelCount }
    }
}

extension ImageProcessor {
    /// Whether the step would make `image` smaller.
    fileprivate func reduces(_ image: KFCrossPlatformImage, _ options: KingfisherParsedOptionsInfo) -> Bool {
        guard let size = image.pixels?.size else { return false }
        switch self {
        case let reducing as any ReducingImageProcessor:
            return reducing.decodedSize(of: size, options: options) != nil
        case let resizing as ResizingImageProcessor:
            let new = CGSize(width: size.width, height: size.height).kf
                .resize(to: resizing.referenceSize, for: resizing.targetContentMode)
            return new.width * options.scaleFactor < CGFloat(size.width)
        default: return false
        }
    }
}

extension Image {
    /// The number of pixels of the image, or of the first frame of an animation.
    var pixelCount: Int { pixels.map { $0.width * $0.height } ?? 0 }
}
