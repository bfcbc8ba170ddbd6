import CISAL

/// One zlib stream (RFC 1950) in the IDAT chunks of a file, unpacked by ISA-L as far as it is asked for.
final class PNGInflater {
    private let state: UnsafeMutablePointer<inflate_state>
    private var pieces: PNGDataPieces
    /// Small pieces are put together here: ISA-L takes a microsecond for each call.
    private let gathered: UnsafeMutableRawBufferPointer
    private var pending: UnsafeRawBufferPointer?

    private static let smallPiece = 1 << 12

    /// Nil where the stream does not begin as zlib's do. The bytes of the pieces must outlive the inflater.
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

    /// Deflate with a window of at most 32 KB, which ISA-L does not check, and no dictionary.
    private static func isHeader(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 2 else { return false }
        return bytes[0] & 0x0F == 8 && bytes[0] >> 4 <= 7 && bytes[1] & 0x20 == 0
            && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    }

    /// Fills `target` from the start, but no more than 4 GiB, and tells how many bytes there were; fewer
    /// where the stream ends or breaks.
    func read(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let room = UInt32(clamping: target.count)
        state.pointee.next_out = target.baseAddress
        state.pointee.avail_out = room
        while state.pointee.avail_out > 0, state.pointee.block_state != ISAL_BLOCK_FINISH {
            if !advance() { break }
        }
        return Int(room - state.pointee.avail_out)
    }

    /// Whether the stream ends here, with the checksum of all that was read.
    func finish() -> Bool {
        var surplus: UInt8 = 0
        return withUnsafeMutablePointer(to: &surplus) { surplus in
            let isEnd = read(into: UnsafeMutableBufferPointer(start: surplus, count: 1)) == 0
            return isEnd && state.pointee.block_state == ISAL_BLOCK_FINISH && !isBroken
        }
    }

    /// Whether there was something that deflate does not allow, or a wrong checksum.
    private(set) var isBroken = false

    /// Whether the input has ended before the stream, without a fault so far.
    var isCut: Bool {
        !isBroken && state.pointee.avail_in == 0 && pending == nil && pieces.peek(1).isEmpty
            && state.pointee.block_state != ISAL_BLOCK_FINISH
    }

    /// One call of ISA-L; false where it can go no further.
    private func advance() -> Bool {
        guard !isBroken else { return false }
        if state.pointee.avail_in == 0 { provideInput() }
        let (input, output) = (state.pointee.avail_in, state.pointee.avail_out)
        isBroken = isal_inflate(state) != ISAL_DECOMP_OK
        let isStuck = input == state.pointee.avail_in && output == state.pointee.avail_out
        return !isBroken && (!isStuck || state.pointee.block_state == ISAL_BLOCK_FINISH)
    }

    /// Whether nothing is wrong with the stream as far as it came, or with its first `count` bytes.
    func isSound(upTo count: Int) -> Bool {
        let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
        defer { room.deallocate() }
        var left = count
        while left > 0 {
            let made = read(into: room)
            if made < room.count { break }
            left -= made
        }
        return !isBroken
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
        // ISA-L only reads; its struct has no const.
        state.pointee.next_in = UnsafeMutablePointer(
            mutating: piece.bindMemory(to: UInt8.self).baseAddress)
        state.pointee.avail_in = UInt32(clamping: piece.count)
    }
}
