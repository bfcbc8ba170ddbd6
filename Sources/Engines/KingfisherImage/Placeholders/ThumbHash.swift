import Foundation

/// A blurred version of an image in at most 25 bytes, with its aspect ratio and transparency.
///
/// The format is the same as on https://evanw.github.io/thumbhash: a header with the averages and the largest
/// amplitudes of luminance, two colour differences and alpha, then half a byte for each cosine component.
/// Immutable and safe from any thread.
public struct ThumbHash: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the hash.
    public let bytes: [UInt8]

    /// Reads a hash. Bytes after its end are dropped, for example bytes of a database column of fixed size.
    ///
    /// Throws `invalidLength` if bytes are missing, and `invalidValue` for a header without an aspect ratio.
    public init(bytes: some Sequence<UInt8>) throws(PlaceholderHashError) {
        let bytes = Array(bytes.prefix(Self.longest))
        guard bytes.count >= Header.shortest else { throw .invalidLength }
        let header = Header(bytes)
        guard header.shorter > 0 else { throw .invalidValue }
        guard bytes.count >= header.hashByteCount else { throw .invalidLength }
        self.bytes = Array(bytes.prefix(header.hashByteCount))
    }

    /// Reads a hash from Base64 (RFC 4648, section 4), with or without padding.
    ///
    /// Throws as `init(bytes:)` does, and `invalidCharacter` for text that is not Base64.
    public init(base64 text: String) throws(PlaceholderHashError) {
        guard text.utf8.count <= 1024 else { throw .invalidLength }
        let padding = text.hasSuffix("=") ? 0 : (4 - text.utf8.count % 4) % 4
        guard let data = Data(base64Encoded: text + String(repeating: "=", count: padding)) else {
            throw .invalidCharacter
        }
        try self.init(bytes: data)
    }

    /// Bytes that an encoder has written.
    init(encoded bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The hash as Base64.
    public var base64: String { Data(bytes).base64EncodedString() }

    public var description: String { base64 }

    /// Width divided by height. It has few steps: it is off by up to a seventh, a fifth with transparency.
    public var aspectRatio: Double {
        let header = header
        return Double(header.luminance.x) / Double(header.luminance.y)
    }

    /// Whether the image has transparent parts.
    public var hasAlpha: Bool { header.hasAlpha }

    /// The average colour of the image, with the average of its alpha.
    public var averageColor: Color {
        let header = header
        let color = Self.color(header.averages)
        func clamped(_ value: Double) -> Double { min(max(value, 0), 1) }
        return Color(
            red: clamped(color.x), green: clamped(color.y), blue: clamped(color.z),
            alpha: clamped(header.averages.w))
    }

    var header: Header { Header(bytes) }

    /// Red, green, blue and alpha of the four channels.
    static func color(_ channels: SIMD4<Double>) -> SIMD4<Double> {
        let blue = channels.x - 2.0 / 3 * channels.y
        let red = (3 * channels.x - blue + channels.z) / 2
        return SIMD4(red, red - channels.z, blue, channels.w)
    }

    /// No header gives more bytes.
    private static let longest = 32
}
