import CISAL
import Foundation

/// A text chunk: its keyword, and its possibly compressed text (PNG, third edition, 11.3.3).
struct PNGText {
    private let keyword: UnsafeRawBufferPointer
    private let text: ByteReader
    let isCompressed: Bool

    /// Nil if the chunk is malformed or truncated. The bytes of `reader` must outlive the text.
    init?(_ chunk: PNGChunk, in reader: ByteReader) {
        guard let data = reader.slice(at: chunk.data, count: chunk.length),
            let end = data.bytes.prefix(80).firstIndex(of: 0)
        else { return nil }
        keyword = UnsafeRawBufferPointer(rebasing: data.bytes[..<end])
        var start = end + 1
        switch chunk.type {
        case .zTXt:
            // 0 means deflate, the only method.
            guard data.uint8(at: start) == 0 else { return nil }
            isCompressed = true
            start += 1
        case .iTXt:
            guard let flag = data.uint8(at: start), data.uint8(at: start + 1) == 0,
                let language = data.offset(of: 0, from: start + 2),
                let translated = data.offset(of: 0, from: language + 1)
            else { return nil }
            isCompressed = flag == 1
            start = translated + 1
        default:
            isCompressed = false
        }
        guard let text = data.slice(at: start, count: data.count - start) else { return nil }
        self.text = text
    }

    func has(keyword expected: StaticString) -> Bool {
        keyword.count == expected.utf8CodeUnitCount && ByteReader(keyword).has(expected, at: 0)
    }

    /// The keyword, in Latin-1.
    var name: String { String(latin1: keyword) }

    func expanded(atMost limit: Int) -> Data? {
        if isCompressed { return Self.expanded(text, atMost: limit) }
        return text.count <= limit ? Data(text.bytes) : nil
    }

    /// The decompressed zlib stream; nil if it is corrupt or exceeds `limit` bytes, where decompression
    /// stops.
    static func expanded(_ stream: ByteReader, atMost limit: Int) -> Data? {
        let state = UnsafeMutablePointer<inflate_state>.allocate(capacity: 1)
        defer { state.deallocate() }
        isal_inflate_init(state)
        state.pointee.crc_flag = UInt32(ISAL_ZLIB)
        state.pointee.next_in = UnsafeMutablePointer(
            mutating: stream.bytes.bindMemory(to: UInt8.self).baseAddress)
        state.pointee.avail_in = UInt32(clamping: stream.count)
        var output = Data()
        let piece = 1 << 14
        while state.pointee.block_state != ISAL_BLOCK_FINISH {
            let start = output.count
            guard start <= limit else { return nil }
            output.count += piece
            let status = output.withUnsafeMutableBytes { bytes in
                state.pointee.next_out = bytes.bindMemory(to: UInt8.self).baseAddress.map { $0 + start }
                state.pointee.avail_out = UInt32(piece)
                return isal_inflate(state)
            }
            let made = piece - Int(state.pointee.avail_out)
            output.count = start + made
            // Unused output space means that the input has ended.
            guard status == ISAL_DECOMP_OK,
                made == piece || state.pointee.block_state == ISAL_BLOCK_FINISH
            else { return nil }
        }
        return output.count <= limit ? output : nil
    }
}
