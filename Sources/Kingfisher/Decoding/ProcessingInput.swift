import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport
import Synchronization

/// The bytes or the image that a cache or a source has returned, with the images made of it.
///
/// Requests that share an input share its images: each recipe is run once (`ImageMaking`). Safe from any
/// thread.
final class ProcessingInput: Sendable {
    /// `refused` means that the processor returned no image, `unreadable` that the data cannot be decoded,
    /// `failed` that there is no memory for it, `abandoned` that no caller needed it any more.
    enum Outcome: Sendable {
        /// The image, and the file it was made of, if known.
        case made(KFCrossPlatformImage, original: Data?)
        case refused(ImageProcessItem)
        case unreadable
        case failed(KingfisherError)
        case abandoned
    }

    /// How an image is made.
    enum Kind: Hashable, Sendable {
        /// The processor gets the bytes of a source.
        case source
        /// The processor gets the original in a cache, which its serializer may have to decode.
        case original
        /// The serializer decodes a file that holds the processed image.
        case processed
        /// An animation in memory is decoded again, with other options.
        case recreation
    }

    struct Recipe: Hashable, Sendable {
        let kind: Kind
        let variant: ImageVariant
        /// The serializer that decodes the data; nil if none does.
        let serializer: ValueIdentity?
    }

    let item: ImageProcessItem
    let freshness: HTTPFreshness?
    /// Whether the images are for one user and must not reach a tier.
    let isPrivate: Bool
    let tags: [String]
    /// Whether a memory budget counts the bytes. Those of a file on disk are mapped, or few.
    private let countsBytes: Bool
    let images = SingleFlight<Recipe, Outcome>(abandoned: .abandoned)
    /// Where the work continues after it has waited for memory; nil for the processing queue.
    let queue: WorkQueue?
    /// Gets each new image of a download, or nil if none could be made.
    let observer: (@Sendable (KFCrossPlatformImage?) -> Void)?
    private let reservation: Mutex<InputMemory?>

    init(
        _ item: ImageProcessItem, freshness: HTTPFreshness? = nil, isPrivate: Bool = false,
        tags: [String] = [], countsBytes: Bool = true, memory: InputMemory? = nil, queue: WorkQueue? = nil,
        observer: (@Sendable (KFCrossPlatformImage?) -> Void)? = nil
    ) {
        self.item = item
        self.freshness = freshness
        self.isPrivate = isPrivate
        self.tags = tags
        self.countsBytes = countsBytes
        self.queue = queue
        self.observer = observer
        reservation = Mutex(memory)
    }

    func recipe(_ kind: Kind, _ options: KingfisherParsedOptionsInfo) -> Recipe {
        let decodesBySerializer = item.data != nil && (kind == .original || kind == .processed)
        return Recipe(
            kind: kind, variant: options.imageVariant,
            serializer: decodesBySerializer ? ValueIdentity(options.cacheSerializer) : nil)
    }

    /// The reservation for this input; nil if there is none yet.
    var memory: InputMemory? { reservation.withLock { $0 } }

    /// The reservation for this input, made with the first budget that is passed.
    func memory(
        in admission: AdmissionControl?, priority: Float, for source: @escaping @Sendable () -> String
    ) throws(KingfisherError) -> InputMemory? {
        if let memory { return memory }
        guard let admission else { return nil }
        let ticket = try admission.enter(for: source, priority: priority)
        let held = countsBytes ? item.data?.residentCount ?? 0 : 0
        ticket.hold(held)
        let made = InputMemory(ticket, holding: held)
        return reservation.withLock { memory in
            if memory == nil { memory = made }
            return memory
        }
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
