import Foundation

/// A PNG as a mutable list of chunks; it is written with valid checksums.
struct ChunkList {
    struct Chunk {
        var type: String
        var data: [UInt8]
    }

    var chunks: [Chunk] = []

    init(_ file: Data) {
        var offset = 8
        while offset < file.count {
            let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: file[offset + 4..<offset + 8], as: UTF8.self)
            chunks.append(Chunk(type: type, data: Array(file[offset + 8..<offset + 8 + length])))
            offset += length + 12
        }
    }

    var file: Data {
        chunks.reduce(into: Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])) { file, chunk in
            let covered = Data(chunk.type.utf8) + chunk.data
            file += Self.bytes(UInt32(chunk.data.count)) + covered + Self.bytes(CRC32.checksum(covered))
        }
    }

    /// The indices of the chunks of `type`.
    func places(_ type: String) -> [Int] {
        chunks.indices.filter { chunks[$0].type == type }
    }

    /// Writes `value` into the data of the `number`th chunk of `type`.
    mutating func set(_ type: String, _ number: Int = 0, at offset: Int, to value: UInt32) {
        let place = places(type)[number]
        chunks[place].data.replaceSubrange(offset..<offset + 4, with: Self.bytes(value))
    }

    static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
