import CISAL
import Foundation

/// A chunk of text: its keyword, and its text as it stands there (PNG, third edition, 11.3.3).
struct PNGText {
    private let keyword: UnsafeRawBufferPointer
    private let text: ByteReader
    private let isCompressed: Bool

    /// Nil where the chunk breaks the rules of its type, or is not all there. The bytes of `reader` must
    /// outlive the text.
    init?(_ chunk: PNGChunk, in reader: ByteReader) {
        guard let data = reader.slice(at: chunk.data, count: chunk.length),
            let end = data.bytes.prefix(80).firstIndex(of: 0)
        else { return nil }
        keyword = UnsafeRawBufferPointer(rebasing: data.bytes[..<end])
        var start = end + 1
        switch chunk.type {
        case .zTXt:
            // One method is known, which is deflate.
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

    /// The text's bytes; nil where there are more than `limit`, or their compression is corrupt.
    func expanded(atMost limit: Int) -> Data? {
        if isCompressed { return Self.expanded(text, atMost: limit) }
        return text.count <= limit ? Data(text.bytes) : nil
    }

    /// The content of a zlib stream; nil for one that is corrupt, or holds more than `limit` bytes, at which
    /// point no more is expanded.
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
            // Room that is left over means that the stream has ended, in its place or not.
            guard status == ISAL_DECOMP_OK,
                made == piece || state.pointee.block_state == ISAL_BLOCK_FINISH
            else { return nil }
        }
        return output.count <= limit ? output : nil
    }
}
