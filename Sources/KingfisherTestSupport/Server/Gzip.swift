import CZlib
public import Foundation

/// Compresses as web servers do (RFC 1952), as small as zlib can.
public enum Gzip {
    /// The compressed bytes.
    public static func packed(_ data: Data) -> Data {
        packed([data])
    }

    /// As many zeros, compressed to a thousandth without ever being in memory: a decompression bomb.
    public static func zeros(_ count: Int) -> Data {
        let piece = Data(count: min(count, 1 << 20))
        return packed(
            (0...count / (1 << 20)).lazy.map { index in piece.prefix(count - index << 20) }.filter {
                !$0.isEmpty
            })
    }

    private static func packed(_ pieces: some Sequence<Data>) -> Data {
        var stream = z_stream()
        let gzipWindow: Int32 = 15 + 16
        deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzipWindow, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var packed = Data()
        for piece in pieces { append(piece, Z_NO_FLUSH, to: &packed, by: &stream) }
        append(Data(), Z_FINISH, to: &packed, by: &stream)
        return packed
    }

    private static func append(
        _ piece: Data, _ flush: Int32, to packed: inout Data, by stream: inout z_stream
    ) {
        var input = [UInt8](piece)
        var output = [UInt8](repeating: 0, count: 64 << 10)
        input.withUnsafeMutableBufferPointer { source in
            (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
            repeat {
                output.withUnsafeMutableBufferPointer { target in
                    (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
                    deflate(&stream, flush)
                }
                packed.append(contentsOf: output.dropLast(Int(stream.avail_out)))
                // A full buffer may not have held everything.
            } while stream.avail_out == 0
        }
    }
}
