package import Foundation

/// Corrupts files in ways that find decoder errors: flipped bits, wrong length fields, truncation, splices,
/// and repeated pieces.
///
/// The same file and number give the same bytes, so failures are reproducible.
package struct FileMutator {
    private let files: [Data]

    /// Creates a mutator for files of one format, which can also be spliced with each other.
    package init(_ files: [Data]) {
        self.files = files
    }

    package func file(_ number: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: number))
        guard let chosen = files.randomElement(using: &generator) else { return Data() }
        var bytes = [UInt8](chosen)
        for _ in 0..<Int.random(in: 1...3, using: &generator) { damage(&bytes, &generator) }
        // Repair checksums, because decoders stop at a wrong one. Some files keep wrong checksums.
        if number % 8 != 0 { PNGPieces.repairChecksums(in: &bytes) }
        return Data(bytes)
    }

    private func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard bytes.count > 16 else { return }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2: flipBits(of: &bytes, &generator)
        case 3...4: writeNumber(into: &bytes, &generator)
        case 5: bytes.removeLast(Int.random(in: 1..<bytes.count - 12, using: &generator))
        case 6: splice(&bytes, &generator)
        default: movePiece(of: &bytes, &generator)
        }
    }

    private func flipBits(of bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let offset = Int.random(in: 4..<bytes.count, using: &generator)
            bytes[offset] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        }
    }

    /// Writes an invalid length, size or count of one, two or four bytes in either byte order.
    private func writeNumber(into bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let width = [1, 2, 4].randomElement(using: &generator) ?? 1
        let offset = Int.random(in: 4..<bytes.count - width, using: &generator)
        let old = (0..<width).reduce(0) { $0 << 8 | UInt32(bytes[offset + $1]) }
        let numbers: [UInt32] = [
            0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, .max,
            UInt32(bytes.count), old &+ 1, old &- 1, old &* 2,
        ]
        let number = numbers.randomElement(using: &generator) ?? 0
        let isBigEndian = Bool.random(using: &generator)
        for index in 0..<width {
            let shift = UInt32((isBigEndian ? width - 1 - index : index) * 8)
            bytes[offset + index] = UInt8(truncatingIfNeeded: number >> shift)
        }
    }

    private func splice(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard let other = files.randomElement(using: &generator), other.count > 16 else { return }
        let kept = Int.random(in: 12..<bytes.count, using: &generator)
        bytes = bytes.prefix(kept) + other.suffix(Int.random(in: 1..<other.count, using: &generator))
    }

    private func movePiece(of bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let pieces = FilePieces.ranges(of: bytes)
        var piece = pieces.randomElement(using: &generator) ?? 0..<0
        if piece.isEmpty || Int.random(in: 0..<3, using: &generator) == 0 {
            let start = Int.random(in: 8..<bytes.count, using: &generator)
            piece = start..<min(bytes.count, start + Int.random(in: 1...64, using: &generator))
        }
        let content = Array(bytes[piece])
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.removeSubrange(piece)
        case 1:
            bytes.removeSubrange(piece)
            let place = (pieces.randomElement(using: &generator) ?? piece).lowerBound
            bytes.insert(contentsOf: content, at: min(place, bytes.count))
        default:
            // Sometimes many times, to reach limits on counts and sums.
            let times = [1, 1, 2, 40].randomElement(using: &generator) ?? 1
            guard content.count * times < 1 << 15 else { return }
            for _ in 0..<times { bytes.insert(contentsOf: content, at: piece.upperBound) }
        }
    }
}
