public import Foundation
import Synchronization

/// The formats this process reads and writes: the registry behind everything that meets a file's bytes, from
/// the default processor and serializer to providers and animated views.
///
/// Safe from any thread. A format that is registered twice is read by the codec registered last.
public enum ImageCodecs {
    private static let codecs = Mutex<[any ImageCodec]>([
        APNGCodec(), PNGCodec(), JPEGCodec(), GIFCodec(),
    ])

    /// Adds a format to the process, or replaces the codec of its format; asked before those registered
    /// earlier.
    ///
    /// Call it once, before the first load. Pictures that are loaded already stay as they are.
    public static func register(_ codec: some ImageCodec) {
        codecs.withLock { codecs in
            codecs.removeAll { $0.format == codec.format }
            codecs.insert(codec, at: 0)
        }
    }

    /// Takes the codec of `format` out again.
    public static func unregister(_ format: ImageFormat) {
        codecs.withLock { $0.removeAll { $0.format == format } }
    }

    /// The formats known now, in the order in which they are asked.
    public static var formats: [ImageFormat] { codecs.withLock { $0.map(\.format) } }

    /// What reads and writes `format`; nil when nothing does.
    public static func codec(for format: ImageFormat) -> (any ImageCodec)? {
        codecs.withLock { $0.first { $0.format == format } }
    }

    /// The codec whose format `data` is of; nil for eight bytes or fewer.
    public static func codec(for data: Data) -> (any ImageCodec)? {
        guard data.count > 8 else { return nil }
        let registered = codecs.withLock { $0 }
        return data.withUnsafeBytes { bytes in registered.first { $0.matches(bytes) } }
    }

    /// Whether the file ends before its picture does; see `ImageCodec.endsEarly(_:)`.
    package static func endsEarly(_ data: Data) -> Bool {
        codec(for: data)?.endsEarly(data) ?? false
    }

    /// The format of files whose names end in `fileExtension`, in any case, without the dot; nil for others.
    public static func format(forFileExtension fileExtension: String) -> ImageFormat? {
        let wanted = fileExtension.lowercased()
        return codecs.withLock { $0.first { $0.fileExtensions.contains(wanted) }?.format }
    }

    /// The extensions of all formats' file names, the usual ones first.
    static var fileExtensions: [String] {
        let all = codecs.withLock { $0.map(\.fileExtensions) }
        return all.compactMap(\.first) + all.flatMap { $0.dropFirst() }
    }

    /// Reads what the file says about itself.
    package static func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        guard let codec = codec(for: data) else { throw .unknownFormat }
        return try codec.header(of: data)
    }
}
