import CZlib
public import Foundation

/// Compresses as web servers do (RFC 1952).
public enum Gzip {
    /// The compressed bytes; zlib's best compression.
    public static func packed(_ data: Data) -> Data {
        var stream = z_stream()
        let gzipWindow: Int32 = 15 + 16
        let size = Int32(MemoryLayout<z_stream>.size)
        deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzipWindow, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        defer { deflateEnd(&stream) }
        var input = [UInt8](data)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
        let count = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
                (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
                // One call does it all, for there is room for the worst.
                deflate(&stream, Z_FINISH)
                return Int(stream.total_out)
            }
        }
        return Data(output.prefix(count))
    }
}
