import Foundation
import KingfisherTestSupport
import KingfisherWebP

/// The reference set, and pixels as plain bytes for comparing.
enum WebPSamples {
    static let all = Fixtures.names(in: "WebP", withExtension: "webp")
    static let animations = all.filter { $0.hasPrefix("WebP/anim-") }
    static let stills = all.filter { !$0.hasPrefix("WebP/anim-") }

    /// The rows of an 8-bit RGBA picture, one after another without padding.
    static func bytes(_ pixels: PixelBuffer) -> [UInt8] {
        let row = pixels.width * 4
        return [UInt8](unsafeUninitializedCapacity: row * pixels.height) { target, count in
            count = row * pixels.height
            pixels.withUnsafeBytes { source in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                for y in 0..<pixels.height { memcpy(to + y * row, from + y * pixels.bytesPerRow, row) }
            }
        }
    }

    /// The greatest and the mean difference of two lists of samples.
    static func difference(_ one: [UInt8], _ other: [UInt8]) -> (greatest: Int, mean: Double) {
        guard one.count == other.count, !one.isEmpty else { return (.max, .infinity) }
        let differences = zip(one, other).map { abs(Int($0) - Int($1)) }
        return (differences.max() ?? 0, Double(differences.reduce(0, +)) / Double(one.count))
    }
}

/// WebP containers put together by hand, to say what no writer would.
enum RIFF {
    static func file(_ chunks: Data...) -> Data { file(chunks) }

    static func file(_ chunks: [Data]) -> Data {
        let body = Data("WEBP".utf8) + chunks.reduce(Data(), +)
        return Data("RIFF".utf8) + little(body.count, bytes: 4) + body
    }

    static func chunk(_ name: String, _ payload: Data) -> Data {
        Data(name.utf8) + little(payload.count, bytes: 4) + payload + Data(count: payload.count % 2)
    }

    static func vp8x(_ flags: Int, width: Int, height: Int) -> Data {
        chunk("VP8X", little(flags, bytes: 4) + little(width - 1, bytes: 3) + little(height - 1, bytes: 3))
    }

    static func anim(loops: Int = 0) -> Data {
        chunk("ANIM", Data(count: 4) + little(loops, bytes: 2))
    }

    /// A frame at even coordinates; `flags`: 1 clears its place afterwards, 2 replaces instead of blending.
    static func anmf(
        _ bitstream: Data, left: Int = 0, top: Int = 0, width: Int, height: Int, milliseconds: Int = 100,
        flags: Int = 0
    ) -> Data {
        let place = little(left / 2, bytes: 3) + little(top / 2, bytes: 3)
        let size = little(width - 1, bytes: 3) + little(height - 1, bytes: 3)
        return chunk(
            "ANMF", place + size + little(milliseconds, bytes: 3) + little(flags, bytes: 1) + bitstream)
    }

    /// The picture's chunk out of a file that has nothing else.
    static func bitstream(of name: String) throws -> Data {
        Data(try Fixtures.data(named: name).dropFirst(12))
    }

    static func little(_ value: Int, bytes: Int) -> Data {
        Data((0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
