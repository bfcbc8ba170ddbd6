import CISAL
import Foundation

/// A zlib stream (RFC 1950) written by ISA-L at level 1.
///
/// Equal input in equal pieces gives equal bytes on every x86 processor with SSE 4.2 (2008); ISA-L promises
/// no more, and on older and other processors it hashes in another way. Level 3 differs between AVX2 and
/// AVX-512. Decision 035.
struct PNGDeflate: ~Copyable {
    /// How far back bytes are looked for that come again.
    enum Window: UInt16, CaseIterable {
        /// Runs of one byte only. In a photograph's differences what else repeats does so by chance, and
        /// saying where costs more than the bytes do.
        case runs = 1
        /// As far as zlib can say. For drawings, text and screens.
        case whole = 15
    }

    private let stream: UnsafeMutablePointer<isal_zstream>
    private let work: UnsafeMutablePointer<UInt8>

    /// Bytes that the output grows by when the stream needs room.
    private static let room = 1 << 16

    init(_ window: Window) {
        stream = .allocate(capacity: 1)
        work = .allocate(capacity: Int(kf_isal_level1_bytes))
        isal_deflate_init(stream)
        stream.pointee.level = 1
        stream.pointee.level_buf = work
        stream.pointee.level_buf_size = kf_isal_level1_bytes
        stream.pointee.hist_bits = window.rawValue
        stream.pointee.gzip_flag = UInt16(IGZIP_ZLIB)
    }

    deinit {
        stream.deallocate()
        work.deallocate()
    }

    /// Compresses `count` bytes, fewer than 2^32; appends what is ready, and the end after the last ones.
    func append(
        _ bytes: UnsafeMutablePointer<UInt8>, count: Int, isLast: Bool, to output: inout Data
    ) throws(ImageCodecError) {
        stream.pointee.next_in = bytes
        stream.pointee.avail_in = UInt32(count)
        stream.pointee.end_of_stream = isLast ? 1 : 0
        repeat {
            let start = output.count
            output.count += Self.room
            let status = output.withUnsafeMutableBytes { bytes in
                stream.pointee.next_out = bytes.bindMemory(to: UInt8.self).baseAddress.map { $0 + start }
                stream.pointee.avail_out = UInt32(Self.room)
                return isal_deflate(stream)
            }
            output.count -= Int(stream.pointee.avail_out)
            guard status == COMP_OK else { throw .unsupported("PNG: deflate \(status)") }
        } while stream.pointee.avail_in > 0
            || isLast && stream.pointee.internal_state.state != ZSTATE_END
    }
}
