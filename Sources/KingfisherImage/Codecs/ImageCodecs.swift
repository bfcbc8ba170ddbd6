package import Foundation
import Synchronization

/// The formats this process reads and writes, asked in the order of registration.
///
/// Safe from any thread.
package enum ImageCodecs {
    private static let codecs = Mutex<[any ImageCodec]>([PNGCodec(), JPEGCodec(), GIFCodec()])

    /// Adds `codec` in front, replacing one of the same format.
    package static func register(_ codec: any ImageCodec) {
        codecs.withLock { codecs in
            codecs.removeAll { $0.format == codec.format }
            codecs.insert(codec, at: 0)
        }
    }

    /// Takes the codec of `format` out again.
    package static func unregister(_ format: ImageFormat) {
        codecs.withLock { $0.removeAll { $0.format == format } }
    }

    package static func codec(for format: ImageFormat) -> (any ImageCodec)? {
        codecs.withLock { $0.first { $0.format == format } }
    }

    /// The codec whose signature `data` begins with; nil below nine bytes.
    package static func codec(for data: Data) -> (any ImageCodec)? {
        guard data.count > 8 else { return nil }
        let registered = codecs.withLock { $0 }
        return data.withUnsafeBytes { bytes in registered.first { $0.matches(bytes) } }
    }

    /// Reads what the file says about itself.
    package static func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        guard let codec = codec(for: data) else { throw .unknownFormat }
        return try codec.header(of: data)
    }
}
