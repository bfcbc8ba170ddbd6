import CZlib
public import Foundation

/// Compresses data in the gzip format (RFC 1952) at zlib's highest level.
public enum Gzip {
    /// Returns the compressed data.
    public static func packed(_ data: Data) -> Data {
        deflated(data, window: gzipWindow, Z_FINISH)
    }

    /// Returns compressed data as a part of a body: byte-aligned, without header, checksum and end, and
    /// independent of preceding parts.
    package static func part(_ data: Data) -> Data { deflated(data, window: rawWindow, Z_FULL_FLUSH) }

    /// Returns `count` compressed zeros, a thousandth of the size, without holding them in memory: a
    /// decompression bomb.
    public static func zeros(_ count: Int) -> Data {
        let unknownSystem: UInt8 = 255
        var packed = Data([0x1F, 0x8B, UInt8(Z_DEFLATED), 0, 0, 0, 0, 0, 0, unknownSystem])
        packed += rawZeros(count)
        let piece = Data(count: 1 << 20)
        let (pieces, remainder) = count.quotientAndRemainder(dividingBy: piece.count)
        var checksum: UInt = 0
        let pieceChecksum = crc32(of: piece)
        for _ in 0..<pieces { checksum = crc32_combine(checksum, pieceChecksum, piece.count) }
        checksum = crc32_combine(checksum, crc32(of: Data(count: remainder)), remainder)
        for number in [UInt32(checksum), UInt32(truncatingIfNeeded: count)] {
            withUnsafeBytes(of: number.littleEndian) { packed += $0 }
        }
        return packed
    }

    /// Returns `count` zeros in the zlib format (RFC 1950), which PNG uses.
    static func zlibZeros(_ count: Int) -> Data {
        // Adler-32 of zeros: the first sum stays 1, so the second one is their count.
        let checksum = UInt32(count % 65_521) << 16 | 1
        return Data([0x78, 0xDA]) + rawZeros(count) + withUnsafeBytes(of: checksum.bigEndian) { Data($0) }
    }

    /// Returns `count` compressed zeros without header and checksum.
    ///
    /// A flushed block is independent of preceding blocks, so the same bytes are used for each megabyte.
    private static func rawZeros(_ count: Int) -> Data {
        let piece = Data(count: 1 << 20)
        let (pieces, remainder) = count.quotientAndRemainder(dividingBy: piece.count)
        let block = deflated(piece, window: rawWindow, Z_FULL_FLUSH)
        var packed = Data()
        for _ in 0..<pieces { packed += block }
        return packed + deflated(Data(count: remainder), window: rawWindow, Z_FINISH)
    }

    private static let gzipWindow: Int32 = 15 + 16
    private static let rawWindow: Int32 = -15

    private static func deflated(_ data: Data, window: Int32, _ flush: Int32) -> Data {
        var stream = z_stream()
        deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var packed = Data()
        var input = [UInt8](data)
        var output = [UInt8](repeating: 0, count: 64 << 10)
        input.withUnsafeMutableBufferPointer { source in
            (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
            repeat {
                output.withUnsafeMutableBufferPointer { target in
                    (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
                    deflate(&stream, flush)
                }
                packed.append(contentsOf: output.dropLast(Int(stream.avail_out)))
                // A full buffer may mean that there is more output.
            } while stream.avail_out == 0
        }
        return packed
    }

    static func crc32(of data: Data) -> UInt {
        data.withUnsafeBytes { CZlib.crc32(0, $0.bindMemory(to: UInt8.self).baseAddress, UInt32($0.count)) }
    }
}
