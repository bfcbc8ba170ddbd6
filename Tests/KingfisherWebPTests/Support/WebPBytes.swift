import Foundation
import KingfisherTestSupport

/// A WebP file as a mutable list of chunks (RFC 9649, section 2).
struct WebPBytes {
    struct Chunk: Equatable {
        var name: String
        var payload: Data

        /// The chunk with a size field of `size`, or of its real size.
        func bytes(claiming size: Int? = nil) -> Data {
            let padding = Data(count: payload.count % 2)
            return Data(name.utf8) + Data(littleEndian: size ?? payload.count, 4) + payload + padding
        }
    }

    var chunks: [Chunk]

    init(_ chunks: [Chunk]) { self.chunks = chunks }

    /// The chunks of a complete file.
    init(fixture name: String) throws {
        self.init(of: try Fixtures.data(named: "WebP/\(name).webp"))
    }

    init(of file: Data) {
        chunks = []
        var offset = 12
        while offset + 8 <= file.count {
            let size = (0..<4).reduce(0) { $0 | Int(file[offset + 4 + $1]) << (8 * $1) }
            let payload = file[offset + 8..<min(offset + 8 + size, file.count)]
            chunks.append(
                Chunk(
                    name: String(decoding: file[offset..<offset + 4], as: UTF8.self), payload: Data(payload)))
            offset += 8 + size + size % 2
        }
    }

    var file: Data { Self.file(of: chunks.reduce(Data()) { $0 + $1.bytes() }) }

    static func file(of body: Data, claiming size: Int? = nil) -> Data {
        Data("RIFF".utf8) + Data(littleEndian: size ?? body.count + 4, 4) + Data("WEBP".utf8) + body
    }

    /// The chunks that contain the image of a still.
    var bitstream: [Chunk] { chunks.filter { ["ALPH", "VP8 ", "VP8L"].contains($0.name) } }

    static func vp8x(flags: UInt8, _ width: Int, _ height: Int) -> Chunk {
        Chunk(
            name: "VP8X",
            payload: Data([flags, 0, 0, 0]) + Data(littleEndian: width - 1, 3)
                + Data(littleEndian: height - 1, 3))
    }

    static func anim(loops: Int = 0) -> Chunk {
        Chunk(name: "ANIM", payload: Data(count: 4) + Data(littleEndian: loops, 2))
    }

    static func frame(
        _ bitstream: [Chunk], at offset: (Int, Int) = (0, 0), _ width: Int, _ height: Int,
        milliseconds: Int = 50, flags: UInt8 = 0
    ) -> Chunk {
        let numbers = [offset.0 / 2, offset.1 / 2, width - 1, height - 1, milliseconds]
        let head = numbers.reduce(Data()) { $0 + Data(littleEndian: $1, 3) } + [flags]
        return Chunk(name: "ANMF", payload: bitstream.reduce(head) { $0 + $1.bytes() })
    }

    static let (animationFlag, exifFlag, alphaFlag, iccFlag): (UInt8, UInt8, UInt8, UInt8) = (2, 8, 16, 32)
}

extension Data {
    init(littleEndian value: Int, _ count: Int) {
        self.init((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    func replacing(_ bytes: Data, at offset: Int) -> Data {
        var copy = self
        copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return copy
    }
}
