public import Foundation

/// The bytes of a file, and what its decoder may do: the untrusted input of `ImageCodec.open(_:)`.
///
/// Copies share the bytes, whose address does not change.
public struct EncodedFile: Sendable {
    /// What the decoder must not exceed.
    public let limits: ImageLimits
    /// Whether the file may be truncated, for a caller that shows partial images.
    public let acceptsPartialImages: Bool
    private let storage: Storage

    /// Creates a file, by default with the limits of the current `DecodingContext`.
    public init(_ data: Data, limits: ImageLimits = .current, acceptsPartialImages: Bool = false) {
        self.limits = limits
        self.acceptsPartialImages = acceptsPartialImages
        storage = Storage(data)
    }

    /// The whole file, or as much of it as there is.
    public var data: Data { storage.data }

    /// A reader over the bytes with the limits of this file, valid while a copy of the file exists.
    ///
    /// A decoder keeps both: the file, and what it has read with the reader.
    public var reader: ByteReader { ByteReader(storage.bytes, limits: limits) }

    /// Calls `body` with `reader` and keeps the bytes until it returns; errors keep their type.
    public func reading<Value, Failure: Error>(
        _ body: (ByteReader) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { withExtendedLifetime(storage) {} }
        return try body(reader)
    }

    /// Other bytes under the same conditions, such as the complete part of this file.
    public func with(_ data: Data) -> EncodedFile {
        EncodedFile(data, limits: limits, acceptsPartialImages: acceptsPartialImages)
    }

    /// Unchecked: written in `init` only.
    private final class Storage: @unchecked Sendable {
        let data: Data
        let bytes: UnsafeRawBufferPointer
        private let copy: UnsafeMutableRawBufferPointer?

        init(_ data: Data) {
            self.data = data
            // The bytes of a large value are on the heap and stay there; small ones are within the value.
            if data.count >= 64 {
                copy = nil
                bytes = data.withUnsafeBytes { $0 }
            } else {
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
                copy.copyBytes(from: data)
                self.copy = copy
                bytes = UnsafeRawBufferPointer(copy)
            }
        }

        deinit { copy?.deallocate() }
    }
}
