import CISAL

/// Decompresses the zlib stream (RFC 1950) in the IDAT chunks of a file with ISA-L, on demand.
final class PNGInflater {
    private let state: UnsafeMutablePointer<inflate_state>
    private var pieces: PNGDataPieces
    /// A buffer to combine small pieces, because a call of ISA-L takes a microsecond.
    private let gathered: UnsafeMutableRawBufferPointer
    private var pending: UnsafeRawBufferPointer?

    private static let smallPiece = 1 << 12

    /// Nil without a valid zlib header. The bytes of the pieces must outlive the inflater.
    init?(_ pieces: PNGDataPieces) {
        guard Self.isHeader(pieces.peek(2)) else { return nil }
        self.pieces = pieces
        gathered = .allocate(byteCount: 4 * Self.smallPiece, alignment: 16)
        state = .allocate(capacity: 1)
        isal_inflate_init(state)
        state.pointee.crc_flag = UInt32(ISAL_ZLIB)
        state.pointee.avail_in = 0
    }

    deinit {
        state.deallocate()
        gathered.deallocate()
    }

    /// Whether the header says deflate without dictionary, with a window of at most 32 KB, which ISA-L does
    /// not check.
    private static func isHeader(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 2 else { return false }
        return bytes[0] & 0x0F == 8 && bytes[0] >> 4 <= 7 && bytes[1] & 0x20 == 0
            && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    }

    /// Fills `target` from the start, at most 4 GiB, and returns the number of bytes; fewer if the stream
    /// ends or is corrupt.
    func read(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let room = UInt32(clamping: target.count)
        state.pointee.next_out = target.baseAddress
        state.pointee.avail_out = room
        while state.pointee.avail_out > 0, state.pointee.block_state != ISAL_BLOCK_FINISH {
            if !advance() { break }
        }
        return Int(room - state.pointee.avail_out)
    }

    func finish() -> Bool {
        var surplus: UInt8 = 0
        return withUnsafeMutablePointer(to: &surplus) { surplus in
            let isEnd = read(into: UnsafeMutableBufferPointer(start: surplus, count: 1)) == 0
            return isEnd && state.pointee.block_state == ISAL_BLOCK_FINISH && !isCorrupt
        }
    }

    private(set) var isCorrupt = false

    var isTruncated: Bool {
        !isCorrupt && state.pointee.avail_in == 0 && pending == nil && pieces.peek(1).isEmpty
            && state.pointee.block_state != ISAL_BLOCK_FINISH
    }

    private func advance() -> Bool {
        guard !isCorrupt else { return false }
        if state.pointee.avail_in == 0 { provideInput() }
        let (input, output) = (state.pointee.avail_in, state.pointee.avail_out)
        isCorrupt = isal_inflate(state) != ISAL_DECOMP_OK
        let isStuck = input == state.pointee.avail_in && output == state.pointee.avail_out
        return !isCorrupt && (!isStuck || state.pointee.block_state == ISAL_BLOCK_FINISH)
    }

    func isValid(upTo count: Int) -> Bool {
        let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
        defer { room.deallocate() }
        var left = count
        while left > 0 {
            let made = read(into: room)
            if made < room.count { break }
            left -= made
        }
        return !isCorrupt
    }

    private func provideInput() {
        guard let first = pending ?? pieces.next() else { return }
        pending = nil
        guard first.count < Self.smallPiece else { return give(first) }
        gathered.copyMemory(from: first)
        var count = first.count
        while let next = pieces.next() {
            guard next.count < Self.smallPiece, count + next.count <= gathered.count else {
                pending = next
                break
            }
            UnsafeMutableRawBufferPointer(rebasing: gathered[count...]).copyMemory(from: next)
            count += next.count
        }
        give(UnsafeRawBufferPointer(rebasing: gathered[..<count]))
    }

    private func give(_ piece: UnsafeRawBufferPointer) {
        // ISA-L only reads the input, but its struct has no const.
        state.pointee.next_in = UnsafeMutablePointer(
            mutating: piece.bindMemory(to: UInt8.self).baseAddress)
        state.pointee.avail_in = UInt32(clamping: piece.count)
    }
}
