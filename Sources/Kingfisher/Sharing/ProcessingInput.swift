import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// A source's bytes, or an original in memory, and the images that are made of it: one for each recipe,
/// once, for all who share it. Safe from any thread.
final class ProcessingInput: Sendable {
    /// What became of making an image.
    enum Outcome: Sendable {
        /// With the file that it was made of, if known.
        case made(KFCrossPlatformImage, original: Data?)
        /// There is an image, but the processor makes none of it.
        case refused(ImageProcessItem)
        /// There is no image.
        case unreadable
    }

    /// Requests with equal recipes get the same image.
    struct Recipe: Hashable, Sendable {
        let variant: ImageVariant
        /// The serializer that decodes the bytes; nil where the processor does.
        var serializer: ValueIdentity?
    }

    let item: ImageProcessItem
    /// What the server of an original that a cache has said about it.
    let freshness: HTTPFreshness?
    /// What was made, or is being made.
    let images = SingleFlight<Recipe, Outcome>(abandoned: .unreadable)

    init(_ item: ImageProcessItem, freshness: HTTPFreshness? = nil) {
        self.item = item
        self.freshness = freshness
    }
}

/// A way of making an image of a source's bytes: requests with equal variants get the same image.
struct ImageVariant: Hashable, Sendable {
    let identifier: BytewiseString
    let creating: ImageCreatingOptions
    let context: ObjectIdentifier?

    func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }
}

extension KingfisherParsedOptionsInfo {
    /// The processor and the way of decoding that these options ask for.
    var imageVariant: ImageVariant {
        ImageVariant(
            identifier: BytewiseString(processor.identifier), creating: imageCreatingOptions,
            context: decodingContext.map(ObjectIdentifier.init))
    }
}
