import Foundation

struct PNGAssembly {
    private(set) var data = Data(PNGCodec.signature)
    private let hasChecksums: Bool

    static let end: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]

    /// `hasChecksums` is false for a file whose reader ignores checksums; they are then 0.
    init(hasChecksums: Bool = true) {
        self.hasChecksums = hasChecksums
    }

    mutating func append(_ type: PNGChunkType, fields: [UInt8] = [], payload: [UnsafeRawBufferPointer] = []) {
        append(type, fields: fields) { data in
            for piece in payload where !piece.isEmpty { data.append(contentsOf: piece) }
        }
    }

    /// Appends a chunk with `fields` followed by the bytes that `body` appends, at most 2^31 - 1 bytes in
    /// total.
    mutating func append<Failure>(
        _ type: PNGChunkType, fields: [UInt8] = [], _ body: (inout Data) throws(Failure) -> Void
    ) throws(Failure) {
        let start = data.count
        data.append(contentsOf: UInt32(0).bigEndianBytes + type.code.bigEndianBytes + fields)
        try body(&data)
        let length = UInt32(clamping: data.count - start - 8)
        data.replaceSubrange(start..<start + 4, with: length.bigEndianBytes)
        let checksum =
            hasChecksums
            ? data.withUnsafeBytes { PNGChecksum.of(UnsafeRawBufferPointer(rebasing: $0[(start + 4)...])) }
            : 0
        data.append(contentsOf: checksum.bigEndianBytes)
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { Swift.withUnsafeBytes(of: bigEndian) { Array($0) } }
}
