public import Foundation
import Synchronization

/// The current codecs, from the current `DecodingContext` or else from this process.
///
/// Processors, serializers, providers and animated views all use them. Safe from any thread. The codec
/// registered last for a format is used.
public enum ImageCodecs {
    private static let process = Mutex(CodecRegistry.builtIn)

    private static var current: CodecRegistry {
        DecodingContext.current?.codecs ?? process.withLock { $0 }
    }

    /// Adds a codec to the process, or replaces the codec of its format; it precedes codecs registered
    /// earlier.
    ///
    /// Call it once, before the first load. Images that are already loaded do not change.
    public static func register(_ codec: some ImageCodec) {
        process.withLock { $0.register(codec) }
    }

    /// Removes the codec of `format` from the process.
    public static func unregister(_ format: ImageFormat) {
        process.withLock { $0.unregister(format) }
    }

    /// Replaces each codec of the process by the result of `replacement`, in its place. Other threads see all
    /// of the replacements or none.
    package static func replaceEach(_ replacement: (any ImageCodec) -> any ImageCodec) {
        process.withLock { $0.replaceEach(replacement) }
    }

    /// The formats in lookup order.
    public static var formats: [ImageFormat] { current.formats }

    /// The codec of `format`; nil if none is registered.
    public static func codec(for format: ImageFormat) -> (any ImageCodec)? {
        current.codec(for: format).map(placed)
    }

    /// The codec that recognizes `data`; nil for eight bytes or fewer.
    public static func codec(for data: Data) -> (any ImageCodec)? {
        registeredCodec(for: data).map(placed)
    }

    static func registeredCodec(for data: Data) -> (any ImageCodec)? { current.codec(for: data) }

    /// The codec that the strategy of the current context uses instead of `codec`.
    package static func placed(_ codec: any ImageCodec) -> any ImageCodec {
        DecodingContext.current?.strategy?.codec(inPlaceOf: codec) ?? codec
    }

    /// The format for a file name extension, case-insensitive, without the dot; nil for an unknown one.
    public static func format(forFileExtension fileExtension: String) -> ImageFormat? {
        current.format(forFileExtension: fileExtension)
    }

    static var fileExtensions: [String] { current.fileExtensions }
}

extension KingfisherWrapper where Base == Data {
    /// The format by the signature of the bytes; `.unknown` for eight bytes or fewer.
    public var imageFormat: ImageFormat {
        ImageCodecs.codec(for: base)?.format ?? .unknown
    }
}
