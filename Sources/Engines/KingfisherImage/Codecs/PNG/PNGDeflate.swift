import CISAL
import Foundation

/// A zlib stream (RFC 1950) compressed by ISA-L at level 1.
///
/// Equal input in equal pieces gives equal bytes on every x86 processor with SSE 4.2 (2008). On other
/// processors ISA-L uses another hash. Level 3 differs between AVX2 and AVX-512. See decision 035.
struct PNGDeflate: ~Copyable {
    enum Window: UInt16, CaseIterable {
        /// Runs of one byte only. In filtered photographs other repetitions are random, and encoding them
        /// costs more than they save.
        case runs = 1
        /// The maximum of zlib, for drawings, text and screenshots.
        case whole = 15
    }

    private let stream: UnsafeMutablePointer<isal_zstream>
    private let work: UnsafeMutablePointer<UInt8>

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

    /// Compresses `count` bytes, fewer than 2^32, and appends the available output; `isLast` ends the stream.
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
