public import Foundation
import Synchronization

/// The formats that are read and written here: the codecs of the current `DecodingContext`, else those of
/// this process. Everything that meets a file's bytes goes by them, from the default processor and serializer
/// to providers and animated views.
///
/// Safe from any thread. A format that is registered twice is read by the codec registered last.
public enum ImageCodecs {
    private static let process = Mutex(CodecRegistry.builtIn)

    private static var current: CodecRegistry {
        DecodingContext.current?.codecs ?? process.withLock { $0 }
    }

    /// Adds a format to the process, or replaces the codec of its format; asked before those registered
    /// earlier.
    ///
    /// Call it once, before the first load. Images that are loaded already stay as they are.
    public static func register(_ codec: some ImageCodec) {
        process.withLock { $0.register(codec) }
    }

    /// Removes the codec of `format` from the process.
    public static func unregister(_ format: ImageFormat) {
        process.withLock { $0.unregister(format) }
    }

    /// The formats known now, in the order in which they are asked.
    public static var formats: [ImageFormat] { current.formats }

    /// What reads and writes `format`; nil when nothing does.
    public static func codec(for format: ImageFormat) -> (any ImageCodec)? {
        current.codec(for: format).map(placed)
    }

    /// The codec whose format `data` is of; nil for eight bytes or fewer.
    public static func codec(for data: Data) -> (any ImageCodec)? {
        current.codec(for: data).map(placed)
    }

    /// What runs in place of `codec` by the strategy of the current context.
    package static func placed(_ codec: any ImageCodec) -> any ImageCodec {
        DecodingContext.current?.strategy?.codec(inPlaceOf: codec) ?? codec
    }

    /// Whether the file ends before its image does; see `ImageCodec.endsEarly(_:)`.
    package static func endsEarly(_ data: Data) -> Bool {
        codec(for: data)?.endsEarly(data) ?? false
    }

    /// The format of files whose names end in `fileExtension`, in any case, without the dot; nil for others.
    public static func format(forFileExtension fileExtension: String) -> ImageFormat? {
        current.format(forFileExtension: fileExtension)
    }

    /// The extensions of all formats' file names, the usual ones first.
    static var fileExtensions: [String] { current.fileExtensions }

    /// Reads what the file says about itself.
    package static func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        guard let codec = codec(for: data) else { throw .unknownFormat }
        return try codec.header(of: data)
    }
}
