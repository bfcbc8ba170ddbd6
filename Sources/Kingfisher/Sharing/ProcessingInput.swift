import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// The data or image that a processor gets, with the images made of it.
///
/// Requests that share an input share its images: each recipe is run once. Safe from any thread.
final class ProcessingInput: Sendable {
    /// `refused` means that the processor returned no image, `unreadable` that the data cannot be decoded.
    enum Outcome: Sendable {
        /// The image, and the file it was made of, if known.
        case made(KFCrossPlatformImage, original: Data?)
        case refused(ImageProcessItem)
        case unreadable
    }

    struct Recipe: Hashable, Sendable {
        let variant: ImageVariant
        /// The serializer that decodes the data; nil if the processor does.
        var serializer: ValueIdentity?
    }

    let item: ImageProcessItem
    let freshness: HTTPFreshness?
    /// Whether the images are for one user and must not reach a tier.
    let isPrivate: Bool
    let images = SingleFlight<Recipe, Outcome>(abandoned: .unreadable)

    init(_ item: ImageProcessItem, freshness: HTTPFreshness? = nil, isPrivate: Bool = false) {
        self.item = item
        self.freshness = freshness
        self.isPrivate = isPrivate
    }
}

/// The options that decide which image is made of given data.
struct ImageVariant: Hashable, Sendable {
    let identifier: BytewiseString
    let creating: ImageCreatingOptions
    let context: ObjectIdentifier?

    func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }
}

extension KingfisherParsedOptionsInfo {
    var imageVariant: ImageVariant {
        ImageVariant(
            identifier: BytewiseString(processor.identifier), creating: imageCreatingOptions,
            context: decodingContext.map(ObjectIdentifier.init))
    }
}
