import Foundation
import Glibc
import KingfisherImage
import KingfisherTransport
import Synchronization

/// The bytes or the image that a cache or a source has returned, with the images made of it (`ImageMaking`).
///
/// Requests that share an input share its images: each is made once. With a memory budget they are made one
/// after the other, because the input has one reservation. Safe from any thread.
final class ProcessingInput: Sendable {
    /// `refused` means that the processor returned no image, `unreadable` that the data cannot be decoded,
    /// `failed` that there is no memory for it.
    enum Outcome: Sendable {
        /// The image, and the file it was made of, if known.
        case made(KFCrossPlatformImage, original: Data?)
        case refused(ImageProcessItem)
        case unreadable
        /// Indirect, because the outcome is in the frames of async functions.
        indirect case failed(KingfisherError)
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

    /// An object, because it is large and passed from stage to stage.
    final class Recipe: Equatable, Sendable {
        let kind: Kind
        private let variant: ImageVariant
        /// The serializer that decodes the data; nil if none does.
        private let serializer: ValueIdentity?

        init(_ kind: Kind, _ variant: ImageVariant, _ serializer: ValueIdentity?) {
            (self.kind, self.variant, self.serializer) = (kind, variant, serializer)
        }

        static func == (one: Recipe, other: Recipe) -> Bool {
            one === other
                || one.kind == other.kind && one.variant == other.variant
                    && one.serializer == other.serializer
        }
    }

    private struct Image: Sendable {
        let recipe: Recipe
        let outcome: Outcome
    }

    private struct State: Sendable {
        var memory: InputMemory?
        /// Whether only one image may be made at a time.
        var hasBudget: Bool
        var images = Few<Image>()
        /// What is being made.
        var running = Few<Recipe>()
        var waiting: [ImageMaking] = []

        func outcome(for recipe: Recipe) -> Outcome? { images.first { $0.recipe == recipe }?.outcome }

        mutating func start(_ recipe: Recipe) -> Bool {
            guard !(hasBudget && !running.isEmpty), running.first(where: { $0 == recipe }) == nil else {
                return false
            }
            running.add(recipe)
            return true
        }
    }

    let item: ImageProcessItem
    let freshness: HTTPFreshness?
    /// Whether the images are for one user and must not reach a tier.
    let isPrivate: Bool
    let tags: [String]
    /// Where the work continues after it has waited; nil for the processing queue.
    let place: WorkPlace?
    let observer: (any InputObserver)?
    /// The caller's thread, if it has read the file there.
    let thread: pthread_t?
    /// Whether the reservation lasts as long as this object, as for a download.
    private let keepsMemory: Bool
    private let state: Mutex<State>

    init(
        _ item: ImageProcessItem, freshness: HTTPFreshness? = nil, isPrivate: Bool = false,
        tags: [String] = [], memory: InputMemory? = nil, place: WorkPlace? = nil,
        observer: (any InputObserver)? = nil, thread: pthread_t? = nil
    ) {
        self.item = item
        self.freshness = freshness
        self.isPrivate = isPrivate
        self.tags = tags
        self.place = place
        self.observer = observer
        self.thread = thread
        keepsMemory = memory != nil
        state = Mutex(State(memory: memory, hasBudget: memory != nil))
    }

    func recipe(_ kind: Kind, _ options: KingfisherParsedOptionsInfo) -> Recipe {
        let decodesBySerializer = item.data != nil && (kind == .original || kind == .processed)
        return Recipe(
            kind, options.imageVariant,
            decodesBySerializer ? ValueIdentity(options.cacheSerializer) : nil)
    }

    func outcome(for recipe: Recipe) -> Outcome? { state.withLock { $0.outcome(for: recipe) } }

    /// Makes an image on this thread; later, at the place of `making`, if it has to wait for another one.
    func enqueue(_ making: ImageMaking) {
        let (known, isFree) = state.withLock { state -> (Outcome?, Bool) in
            if let known = state.outcome(for: making.recipe) { return (known, false) }
            if making.hasBudget { state.hasBudget = true }
            let isFree = state.start(making.recipe)
            if !isFree { state.waiting.append(making) }
            return (nil, isFree)
        }
        if let known { return making.receive(known) }
        if isFree { making.begin() }
    }

    /// Ends the turn of an image. Requests that wait for the same image get `outcome`, unless it is nil, and
    /// the next image has its turn.
    func endTurn(of recipe: Recipe, with outcome: Outcome?) {
        typealias Ended = (next: ImageMaking?, served: [ImageMaking], memory: InputMemory?)
        let (next, served, memory) = state.withLock { state -> Ended in
            if let outcome { state.images.add(Image(recipe: recipe, outcome: outcome)) }
            state.running.remove { $0 == recipe }
            // Caches keep inputs longer than the budget may count them. A download ends with its request.
            if state.waiting.isEmpty {
                let isUnused = !keepsMemory && state.running.isEmpty
                return (nil, [], isUnused ? state.memory.take() : nil)
            }
            let served = outcome == nil ? [] : state.waiting.filter { $0.recipe == recipe }
            if !served.isEmpty { state.waiting.removeAll { $0.recipe == recipe } }
            let next = state.waiting.firstIndex { state.start($0.recipe) }
            return (next.map { state.waiting.remove(at: $0) }, served, nil)
        }
        withExtendedLifetime(memory) {}
        if let next { next.place.run { next.begin() } }
        if let outcome { for making in served { making.receive(outcome) } }
    }

    /// The reservation for this input; nil if there is none yet.
    var memory: InputMemory? { state.withLock(\.memory) }

    /// The reservation for this input, made with the first budget that is passed.
    func memory(
        in admission: AdmissionControl?, priority: Float, for source: @escaping @Sendable () -> String
    ) throws(KingfisherError) -> InputMemory? {
        if let memory { return memory }
        guard let admission else { return nil }
        let ticket = try admission.enter(for: source, priority: priority)
        let held = item.data?.residentCount ?? 0
        ticket.hold(held)
        let made = InputMemory(ticket, holding: held)
        return state.withLock { state in
            if state.memory == nil { state.memory = made }
            return state.memory
        }
    }
}

/// Gets each new image of an input, or nil if none could be made.
protocol InputObserver: Sendable {
    func didMake(_ image: KFCrossPlatformImage?, of input: ProcessingInput)
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
            context: self.decodingContext.map(ObjectIdentifier.init))
    }
}

/// A list of rarely more than one element, which is stored without an array.
struct Few<Element: Sendable>: Sendable {
    private var first: Element?
    private var others: [Element] = []

    var isEmpty: Bool { first == nil }

    func first(where isRight: (Element) -> Bool) -> Element? {
        if let first, isRight(first) { return first }
        return others.first(where: isRight)
    }

    mutating func add(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    mutating func remove(where isRight: (Element) -> Bool) {
        if let first, isRight(first) {
            self.first = others.popLast()
        } else {
            others.removeAll(where: isRight)
        }
    }
}
