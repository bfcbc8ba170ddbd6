/// Reads URLs of thumbor 7.8 and imagor 1.9.
///
/// The order: signature, parts of the path, filters, expiry, steps, source. What has no equivalent is 400
/// with its name.
struct ThumborReader {
    private let settings: ServiceSettings

    init(_ settings: ServiceSettings) { self.settings = settings }

    /// The request of a path below the prefix, without the slash after that, as received.
    func request(_ path: Substring, now: Int) throws(ServiceError) -> ServiceRequest {
        guard let thumbor = settings.thumbor else { throw ServiceError(404, "Not found.") }
        guard let (signature, rest) = path.divided(at: "/") else {
            throw .invalidSignature
        }
        try ThumborSignature(thumbor, signing: settings.signing).verify(signature, rest)

        let parts = try ThumborPath(rest)
        var draft = ThumborDraft(parts, smartCrop: settings.smartCrop)
        for filter in parts.filters { try ThumborFilter.apply(filter, to: &draft) }
        if let expires = draft.options.expires, now > expires {
            throw ServiceError(410, "The URL has expired.")
        }
        let request = ServiceRequest(
            steps: try draft.steps(CompatibleSteps(settings)), options: draft.options,
            source: try source(parts.image, thumbor), isNegotiable: settings.negotiatesCompatibleURLs)
        try request.checkCount()
        return request
    }

    private func source(
        _ image: Substring, _ thumbor: ThumborSettings
    ) throws(ServiceError) -> ServiceSource {
        guard !image.utf8.starts(with: "b64:".utf8) else {
            throw .unsupported("b64", "the image is a percent-encoded URL")
        }
        let text: String
        do {
            text = try PercentEncoding.decode(image)
        } catch {
            throw .invalid("The image", expected: "a percent-encoded URL in UTF-8")
        }
        return try settings.sources.source(named: Self.hasScheme(text) ? text : "\(thumbor.scheme)://\(text)")
    }

    /// Whether the text begins with a scheme and `://`; a colon alone may precede a port.
    private static func hasScheme(_ text: String) -> Bool {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        let isScheme = scheme.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        return !scheme.isEmpty && isScheme && text.utf8.dropFirst(scheme.count).starts(with: "://".utf8)
    }
}
