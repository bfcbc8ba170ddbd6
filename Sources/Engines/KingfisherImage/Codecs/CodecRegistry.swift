public import Foundation

/// An ordered list of codecs, one per format.
///
/// A value, so that a `DecodingContext` can have its own formats. The codec registered last for a format is
/// used.
public struct CodecRegistry: Sendable {
    private var codecs: [any ImageCodec]

    /// The built-in formats: APNG, PNG, JPEG and GIF.
    public static let builtIn = CodecRegistry([APNGCodec(), PNGCodec(), JPEGCodec(), GIFCodec()])

    /// Creates a registry of codecs in lookup order.
    public init(_ codecs: [any ImageCodec] = []) {
        self.codecs = codecs
    }

    /// Adds a codec, or replaces the codec of its format; it precedes codecs registered earlier.
    public mutating func register(_ codec: some ImageCodec) {
        unregister(codec.format)
        codecs.insert(codec, at: 0)
    }

    /// Replaces each codec by the result of `replacement`, in its place.
    package mutating func replaceEach(_ replacement: (any ImageCodec) -> any ImageCodec) {
        codecs = codecs.map(replacement)
    }

    /// Removes the codec of `format`.
    public mutating func unregister(_ format: ImageFormat) {
        codecs.removeAll { $0.format == format }
    }

    /// The formats in lookup order.
    public var formats: [ImageFormat] { codecs.map(\.format) }

    /// The codec of `format`; nil if none is registered.
    public func codec(for format: ImageFormat) -> (any ImageCodec)? {
        codecs.first { $0.format == format }
    }

    /// The codec that recognizes `data`; nil for eight bytes or fewer.
    public func codec(for data: Data) -> (any ImageCodec)? {
        guard data.count > 8 else { return nil }
        return data.withUnsafeBytes { bytes in codecs.first { $0.matches(bytes) } }
    }

    /// The format for a file name extension, case-insensitive, without the dot; nil for an unknown one.
    public func format(forFileExtension fileExtension: String) -> ImageFormat? {
        let wanted = fileExtension.lowercased()
        return codecs.first { $0.fileExtensions.contains(wanted) }?.format
    }

    var fileExtensions: [String] {
        let all = codecs.map(\.fileExtensions)
        return all.compactMap(\.first) + all.flatMap { $0.dropFirst() }
    }
}
