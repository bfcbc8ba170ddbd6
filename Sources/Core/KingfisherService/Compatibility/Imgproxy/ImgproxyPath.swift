import Kingfisher

/// The parts of a path after the signature: options, then `plain/URL[@EXT]`, or Base64 in pieces with
/// `[.EXT]`.
struct ImgproxyPath {
    static let sourceMissing = ServiceError(404, "The URL has no source.")

    /// The segments before the source: options, or names of presets if URLs have only presets.
    let options: [Substring]
    /// The names of presets, if URLs have only presets.
    let presets: [Substring]
    /// The source, decoded.
    let source: String
    /// What follows the source, if it is not empty.
    let format: Substring?

    init(_ path: Substring, usesOnlyPresets: Bool) throws(ServiceError) {
        let segments = path.pieces(separatedBy: "/")
        let start = usesOnlyPresets ? 1 : segments.prefix { $0.utf8.contains(UInt8(ascii: ":")) }.count
        options = usesOnlyPresets ? [] : Array(segments[..<start])
        presets = usesOnlyPresets ? segments[0].pieces(separatedBy: ":") : []
        let rest = segments[start...]
        switch rest.first {
        case nil:
            throw Self.sourceMissing
        case "enc":
            throw .unsupported("enc", "sources cannot be encrypted")
        case "-":
            throw .unsupported("-", "there are no chained pipelines")
        case "plain":
            (source, format) = try Self.plain(rest.dropFirst().joined(separator: "/")[...])
        default:
            (source, format) = try Self.base64(rest.joined()[...])
        }
    }

    private static func plain(_ text: Substring) throws(ServiceError) -> (String, Substring?) {
        let (source, format) = try divided(text, at: "@")
        do {
            return (try PercentEncoding.decode(source), format)
        } catch {
            throw ServiceError(404, "The source after plain/ is not percent-encoded text.")
        }
    }

    private static func base64(_ text: Substring) throws(ServiceError) -> (String, Substring?) {
        let (source, format) = try divided(text, at: ".")
        guard let bytes = Base64URL.decode(source), let decoded = String(validating: bytes, as: UTF8.self),
            !decoded.isEmpty, !PercentEncoding.hasControl(decoded)
        else { throw ServiceError(404, "The source is neither plain/URL nor a URL in Base64.") }
        return (decoded, format)
    }

    private static func divided(
        _ text: Substring, at separator: Unicode.Scalar
    ) throws(ServiceError) -> (Substring, Substring?) {
        let pieces = text.pieces(separatedBy: separator)
        guard !pieces[0].isEmpty else { throw sourceMissing }
        guard pieces.count <= 2 else {
            throw ServiceError(404, "The source has more than one '\(separator)'.")
        }
        let format = pieces.count == 2 && !pieces[1].isEmpty ? pieces[1] : nil
        return (pieces[0], format)
    }
}
