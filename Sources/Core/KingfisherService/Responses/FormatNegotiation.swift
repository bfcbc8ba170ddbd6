public import KingfisherImage

/// Facts about a decoded source that decide the format of its result.
public struct ServiceSourceFacts: Hashable, Sendable {
    /// The format of the source.
    public var format: ImageFormat
    /// Whether every pixel of the result is opaque.
    public var isOpaque: Bool
    /// Whether the result has more than one frame.
    public var isAnimated: Bool

    /// Creates facts, by default about a still.
    public init(format: ImageFormat, isOpaque: Bool, isAnimated: Bool = false) {
        self.format = format
        self.isOpaque = isOpaque
        self.isAnimated = isAnimated
    }
}

/// A class of `Accept` fields that get equal responses, for keys of caches.
///
/// With the facts about a source it decides the format. There are at most as many classes as formats and one
/// more, and never more than four, so a client cannot multiply results by variants of the field.
public struct AcceptClass: Hashable, Sendable {
    /// The format of stills; nil for JPEG or PNG.
    let still: ImageFormat?
    /// The format of animations; nil for GIF.
    let animation: ImageFormat?

    /// A name for cache keys, such as `avif`, `avif-webp` and `plain`.
    public var name: String {
        let names = [still, animation].compactMap { $0?.name.lowercased() }
        return names.isEmpty ? "plain" : names.joined(separator: "-")
    }
}

/// Chooses the format of a result whose URL leaves it open.
public struct FormatNegotiation: Hashable, Sendable {
    /// The formats that are offered, in order of preference.
    public let formats: [ImageFormat]
    private let stills: Set<ImageFormat>
    private let animations: Set<ImageFormat>

    private static let webP = ImageFormat(name: "WEBP")

    /// Creates a negotiation of formats in order of preference.
    ///
    /// Formats that cannot be written are not offered, neither is JPEG, which has no transparency. The first
    /// three of the others are used.
    ///
    /// - Parameters:
    ///   - stills: The formats in which a still can be written.
    ///   - animations: The formats in which an animation can be written.
    public init(formats: [ImageFormat], stills: Set<ImageFormat>, animations: Set<ImageFormat>) {
        var offered: [ImageFormat] = []
        for format in formats where stills.contains(format) && format != .JPEG && !offered.contains(format) {
            if offered.count < 3 { offered.append(format) }
        }
        self.formats = offered
        self.stills = stills
        self.animations = animations
    }

    /// Whether responses to the request depend on `Accept`, regardless of its source.
    public func variesByAccept(_ request: ServiceRequest) -> Bool {
        guard request.kind == .image, request.isNegotiable, !formats.isEmpty else { return false }
        if case .exactly = request.options.format { return false }
        return true
    }

    /// The class of a client.
    ///
    /// `mayAnimate` is whether the request is for all frames of its source. Then a client that does not
    /// accept animated WebP gets the formats of a client that accepts nothing, which limits the classes.
    public func acceptClass(_ accept: AcceptHeader, mayAnimate: Bool) -> AcceptClass {
        let still = formats.first { accept.names($0.serviceMediaType) }
        guard mayAnimate, offersAnimations else { return AcceptClass(still: still, animation: nil) }
        guard accept.names(Self.webP.serviceMediaType) else {
            return AcceptClass(still: nil, animation: nil)
        }
        return AcceptClass(still: still, animation: Self.webP)
    }

    private var offersAnimations: Bool { formats.contains(Self.webP) && animations.contains(Self.webP) }

    /// The format of the result. Throws 422 if the URL names a format that cannot be written.
    public func format(
        of request: ServiceRequest, for accepted: AcceptClass, _ source: ServiceSourceFacts
    ) throws(ServiceError) -> ImageFormat {
        let isOriginal: Bool
        switch request.options.format {
        case .exactly(let format) where stills.contains(format) || animations.contains(format):
            return format
        case .exactly(let format): throw ServiceError(422, "This service cannot write \(format.name) files.")
        case .original: isOriginal = true
        case .negotiated: isOriginal = !request.isNegotiable
        }
        if isOriginal, (source.isAnimated ? animations : stills).contains(source.format) {
            return source.format
        }
        let chosen = source.isAnimated ? accepted.animation : accepted.still
        return (request.isNegotiable ? chosen : nil) ?? unnegotiated(source)
    }

    /// The formats that every client reads.
    func unnegotiated(_ source: ServiceSourceFacts) -> ImageFormat {
        if source.isAnimated, animations.contains(.GIF) { return .GIF }
        return source.isOpaque ? .JPEG : .PNG
    }
}

extension ImageFormat {
    /// The media type of the formats that the service writes.
    var serviceMediaType: String { "image/\(name.lowercased())" }
}
