import Foundation

/// A PNG file that is put together chunk by chunk.
struct PNGAssembly {
    private(set) var data = Data(PNGCodec.signature)
    private let hasChecksums: Bool

    /// `hasChecksums` is false for a file whose reader does not look at them; then they are 0.
    init(hasChecksums: Bool = true) {
        self.hasChecksums = hasChecksums
    }

    /// Adds a chunk whose data are `fields` and behind them `payload`, one piece after the other.
    mutating func append(_ type: PNGChunkType, fields: [UInt8] = [], payload: [UnsafeRawBufferPointer] = []) {
        let length = payload.reduce(fields.count) { $0 + $1.count }
        let start = data.count + 4
        data.append(bigEndian: UInt32(clamping: length))
        data.append(bigEndian: type.code)
        data.append(contentsOf: fields)
        for piece in payload where !piece.isEmpty {
            data.append(contentsOf: piece)
        }
        let checksum =
            hasChecksums
            ? data.withUnsafeBytes { PNGChecksum.of(UnsafeRawBufferPointer(rebasing: $0[start...])) } : 0
        data.append(bigEndian: checksum)
    }
}

extension Data {
    fileprivate mutating func append(bigEndian value: UInt32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, most significant first.
    var bigEndianBytes: [UInt8] { Swift.withUnsafeBytes(of: bigEndian) { Array($0) } }
}
