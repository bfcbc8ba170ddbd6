import Foundation
import KingfisherTestSupport

/// A kind of corruption of a WebP file.
enum Mutation: CaseIterable {
    case bits, run, insertion, removal, sizeField, reordered, duplicated, spliced, canvas, cut

    func applied(
        to file: Data, among others: [Data], using generator: inout SeededGenerator
    ) -> Data {
        switch self {
        case .bits, .run, .insertion, .removal, .canvas, .cut: changingBytes(of: file, using: &generator)
        case .reordered, .duplicated, .spliced: changingChunks(of: file, among: others, using: &generator)
        case .sizeField: Self.withWrongSize(WebPBytes(of: file), using: &generator)
        }
    }

    private func changingBytes(of file: Data, using generator: inout SeededGenerator) -> Data {
        var bytes = Data(file)
        func place(_ length: Int = 1) -> Int {
            Int.random(in: 0...max(bytes.count - length, 0), using: &generator)
        }
        func noise(_ count: Int) -> Data {
            Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        switch self {
        case .bits:
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let offset = Int.random(in: 12..<bytes.count, using: &generator)
                bytes[offset] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            }
            return bytes
        case .run:
            let length = min(Int.random(in: 2...40, using: &generator), bytes.count)
            let filling = [0, 255].randomElement(using: &generator).map { Data(repeating: $0, count: length) }
            let run = Bool.random(using: &generator) ? noise(length) : filling ?? Data()
            return bytes.replacing(run, at: place(length))
        case .insertion:
            bytes.insert(contentsOf: noise(Int.random(in: 1...30, using: &generator)), at: place())
            return Self.resized(bytes)
        case .removal:
            let length = min(Int.random(in: 1...30, using: &generator), bytes.count)
            let offset = place(length)
            bytes.removeSubrange(offset..<offset + length)
            return Self.resized(bytes)
        case .canvas:
            // The fields after the first chunk header: flags and canvas of VP8X, the size of VP8 and VP8L.
            let length = Int.random(in: 1...min(10, max(bytes.count - 20, 1)), using: &generator)
            return bytes.count > 30 ? bytes.replacing(noise(length), at: 20) : bytes
        default: return bytes.prefix(place())
        }
    }

    private func changingChunks(
        of file: Data, among others: [Data], using generator: inout SeededGenerator
    ) -> Data {
        var parts = WebPBytes(of: file)
        switch self {
        case .reordered: parts.chunks.shuffle(using: &generator)
        case .duplicated:
            guard let chunk = parts.chunks.randomElement(using: &generator) else { return file }
            let copies = Int.random(in: 1...3, using: &generator)
            let index = Int.random(in: 0...parts.chunks.count, using: &generator)
            parts.chunks.insert(contentsOf: Array(repeating: chunk, count: copies), at: index)
        default:
            let donor = WebPBytes(of: others.randomElement(using: &generator) ?? file)
            parts.chunks = Array(
                parts.chunks.prefix(Int.random(in: 0...parts.chunks.count, using: &generator)))
            parts.chunks += donor.chunks.suffix(
                Int.random(in: 1...max(donor.chunks.count, 1), using: &generator))
        }
        return parts.file
    }

    /// The file with a RIFF size that matches its length.
    private static func resized(_ bytes: Data) -> Data {
        bytes.count < 12 ? bytes : bytes.replacing(Data(littleEndian: bytes.count - 8, 4), at: 4)
    }

    /// Gives one chunk, or the file, a wrong size field.
    private static func withWrongSize(_ parts: WebPBytes, using generator: inout SeededGenerator) -> Data {
        let wrongIndex = Int.random(in: -1..<parts.chunks.count, using: &generator)
        func wrongValue(for size: Int) -> Int {
            let sizes = [
                0, 1, size - 1, size + 1, size / 2, size * 2 + 7, 0x7FFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFF,
            ]
            return max(sizes.randomElement(using: &generator) ?? 0, 0)
        }
        let body = parts.chunks.enumerated().reduce(Data()) { body, part in
            let size = part.element.payload.count
            return body
                + part.element.bytes(claiming: part.offset == wrongIndex ? wrongValue(for: size) : size)
        }
        return WebPBytes.file(of: body, claiming: wrongIndex < 0 ? wrongValue(for: body.count + 4) : nil)
    }
}
