public import Foundation

/// An ordered list of codecs: which formats are read and written, and by what.
///
/// A value, so that a `DecodingContext` can have formats of its own. A format that is registered twice is
/// read by the codec registered last.
public struct CodecRegistry: Sendable {
    private var codecs: [any ImageCodec]

    /// The formats of the core: APNG, PNG, JPEG and GIF.
    public static let builtIn = CodecRegistry([APNGCodec(), PNGCodec(), JPEGCodec(), GIFCodec()])

    /// Codecs in the order in which they are asked.
    public init(_ codecs: [any ImageCodec] = []) {
        self.codecs = codecs
    }

    /// Adds a codec, or replaces that of its format; asked before those registered earlier.
    public mutating func register(_ codec: some ImageCodec) {
        unregister(codec.format)
        codecs.insert(codec, at: 0)
    }

    /// Removes the codec of `format`.
    public mutating func unregister(_ format: ImageFormat) {
        codecs.removeAll { $0.format == format }
    }

    /// The formats in the order in which they are asked.
    public var formats: [ImageFormat] { codecs.map(\.format) }

    /// What reads and writes `format`; nil where nothing does.
    public func codec(for format: ImageFormat) -> (any ImageCodec)? {
        codecs.first { $0.format == format }
    }

    /// The codec whose format `data` is in; nil for eight bytes or fewer.
    public func codec(for data: Data) -> (any ImageCodec)? {
        guard data.count > 8 else { return nil }
        return data.withUnsafeBytes { bytes in codecs.first { $0.matches(bytes) } }
    }

    /// The format of files whose names end in `fileExtension`, in any case, without the dot; nil for others.
    public func format(forFileExtension fileExtension: String) -> ImageFormat? {
        let wanted = fileExtension.lowercased()
        return codecs.first { $0.fileExtensions.contains(wanted) }?.format
    }

    /// The extensions of all formats' file names, the usual ones first.
    var fileExtensions: [String] {
        let all = codecs.map(\.fileExtensions)
        return all.compactMap(\.first) + all.flatMap { $0.dropFirst() }
    }
}
