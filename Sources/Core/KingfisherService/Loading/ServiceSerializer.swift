public import Foundation
public import Kingfisher
public import KingfisherImage

/// Encodes results of a service in the format that URL, client and image decide.
///
/// A value: requests with equal serializers share their result, and cached originals are decoded no larger
/// than a result needs. Pure, on the caller's thread.
public struct ServiceSerializer: ImageFileCacheSerializer, Hashable {
    /// The quality of lossy formats if neither URL nor settings say another one, 1...100.
    public static let defaultQualities: [ImageFormat: Int] = [
        .JPEG: 80, ImageFormat(name: "WEBP"): 79, ImageFormat(name: "AVIF"): 63, ImageFormat(name: "JXL"): 77,
    ]

    private let options: ServiceOptions
    private let isNegotiable: Bool
    private let hasAllFrames: Bool
    private let negotiation: FormatNegotiation
    private let accepted: AcceptClass
    /// By format, of those that differ from the defaults.
    private let qualities: [ImageFormat: Int]
    /// The largest still that is written in a slow format.
    private let slowPixels: Int
    /// Whether this makes the file that another serializer has postponed.
    private let isLate: Bool

    /// Creates the serializer of a request for clients of a class.
    ///
    /// - Parameters:
    ///   - hasAllFrames: Whether the result of an animation has all its frames.
    ///   - qualities: The qualities of the service's settings, which replace the default ones.
    ///   - slowPixels: Larger stills are not written as AVIF and JPEG XL, but as JPEG or PNG.
    ///   - isLate: Whether a serializer that is equal otherwise has postponed this file. It gets another
    ///     identifier.
    public init(
        _ request: ServiceRequest, for accepted: AcceptClass, _ negotiation: FormatNegotiation,
        hasAllFrames: Bool = false, qualities: [ImageFormat: Int] = [:], slowPixels: Int = .max,
        isLate: Bool = false
    ) {
        (self.hasAllFrames, self.slowPixels, self.isLate) = (hasAllFrames, slowPixels, isLate)
        options = request.options.forEncoding
        isNegotiable = request.isNegotiable
        (self.negotiation, self.accepted) = (negotiation, accepted)
        var effective: [ImageFormat: Int] = [:]
        for (format, byDefault) in Self.defaultQualities {
            let wished = request.options.formatQualities[format] ?? request.options.quality
            let quality = wished ?? qualities[format] ?? byDefault
            if quality != byDefault { effective[format] = quality }
        }
        self.qualities = effective
    }

    /// The settings as text, such as `q80-webp`. Equal files have equal texts, and different ones different
    /// texts. ASCII letters, digits and hyphens.
    public var identifier: String {
        var parts = hasAllFrames ? ["all"] : []
        for (format, quality) in qualities.sorted(by: { $0.key.name < $1.key.name }) {
            if applies(to: format) { parts.append("q\(quality)\(format.name.lowercased())") }
        }
        if options.isLossless { parts.append("lossless") }
        if let effort = options.effort { parts.append("e\(effort)") }
        if let colors = options.maximumColors { parts.append("c\(colors)") }
        if options.isProgressive { parts.append("progressive") }
        if let chroma = options.chroma { parts.append("y\(chroma.rawValue)") }
        if let bytes = options.maximumBytes { parts.append("b\(bytes)") }
        if options.metadata != .none { parts.append("m\(options.metadata.rawValue)") }
        parts.append(formatName)
        if isLate { parts.append("late") }
        return parts.joined(separator: "-")
    }

    private var formatName: String {
        switch options.format {
        case .exactly(let format): format.name.lowercased()
        case .original: "original-" + (isNegotiable ? accepted.name : "plain")
        case .negotiated: isNegotiable ? "accept-" + accepted.name : "original-plain"
        }
    }

    private func applies(to format: ImageFormat) -> Bool {
        if case .exactly(let exact) = options.format { exact == format } else { true }
    }

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        let facts = ServiceSourceFacts(
            format: original?.kf.imageFormat ?? .unknown, isOpaque: image.pixels?.format.isOpaque ?? true,
            isAnimated: hasAllFrames && image.kf.imageFrameCount ?? 1 > 1)
        var request = ServiceRequest(source: .upload, isNegotiable: isNegotiable)
        request.options = options
        guard var format = try? negotiation.format(of: request, for: accepted, facts) else { return nil }
        if SlowFormats.formats.contains(format), image.kf.imageFrameCount ?? 1 == 1,
            image.pixels?.size.area ?? 0 > slowPixels
        {
            format = negotiation.unnegotiated(facts)
        }
        guard let file = try? image.encoded(as: format, options: encoding(as: format)) else { return nil }
        let metadata: MetadataPolicy =
            switch options.metadata {
            case .none: .automatic
            case .copyright: .keepCopyright
            case .keep: .keep
            }
        return metadata.applied(to: file, original: original)
    }

    private func encoding(as format: ImageFormat) -> ImageEncodingOptions {
        let quality = qualities[format] ?? Self.defaultQualities[format] ?? 100
        return ImageEncodingOptions(
            quality: Double(quality) / 100, isLossless: options.isLossless, effort: options.effort,
            chroma: options.chroma, isProgressive: options.isProgressive,
            maximumColors: options.maximumColors, maximumBytes: options.maximumBytes)
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

extension ServiceOptions {
    /// The options that decide the bytes of a result.
    fileprivate var forEncoding: ServiceOptions {
        var encoding = ServiceOptions()
        (encoding.format, encoding.isLossless, encoding.effort) = (format, isLossless, effort)
        (encoding.maximumColors, encoding.isProgressive, encoding.chroma) = (
            maximumColors, isProgressive, chroma
        )
        (encoding.maximumBytes, encoding.metadata) = (maximumBytes, metadata)
        return encoding
    }
}
