import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Every colour type and depth of PNG, with and without tRNS. Expected samples follow from the standard (W3C
/// PNG, 11.3.1.1, 12.4 and 13.12), because decoders share errors: Pillow compares the scaled sample of a grey
/// pixel of 2 or 4 bits with the stored transparent one.
@Suite("PNG: colour types, depths and transparency") struct PNGTransparencyTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let colorType: Int
        let depth: Int
        /// tRNS: levels of one colour, or alpha of palette entries.
        let transparency: [Int]
        var isInterlaced = false

        var testDescription: String {
            "type \(colorType), \(depth) bits, tRNS \(transparency)\(isInterlaced ? ", Adam7" : "")"
        }

        static let all: [Kind] = kinds.flatMap { kind in
            var interlaced = kind
            interlaced.isInterlaced = true
            return [kind, interlaced]
        }

        private static var kinds: [Kind] {
            var kinds: [Kind] = []
            for depth in [1, 2, 4, 8, 16] {
                let maximum = 1 << depth - 1
                kinds.append(Kind(colorType: 0, depth: depth, transparency: []))
                // Only the low bits of a level count.
                let levels =
                    depth == 16 ? [0, maximum, 25_700] : [0, maximum, maximum / 2, (0xFFFF & ~maximum) | 1]
                for level in Set(levels).sorted() {
                    kinds.append(Kind(colorType: 0, depth: depth, transparency: [level]))
                }
            }
            for depth in [8, 16] {
                let scale = depth == 8 ? 1 : 257
                let colors = [7 * scale, 14 * scale, 21 * scale]
                for colors in [[], colors, [0, 0, 0]] + (depth == 8 ? [colors.map { $0 | 0xAB00 }] : []) {
                    kinds.append(Kind(colorType: 2, depth: depth, transparency: colors))
                }
                kinds.append(Kind(colorType: 4, depth: depth, transparency: []))
                kinds.append(Kind(colorType: 6, depth: depth, transparency: []))
            }
            for depth in [1, 2, 4, 8] {
                for alpha in [[], [0], [128, 0], [255, 3]] {
                    kinds.append(Kind(colorType: 3, depth: depth, transparency: alpha))
                }
            }
            return kinds
        }

        static let (width, height) = (37, 19)
        var channels: Int { PNGMaker.channels[colorType] ?? 0 }

        /// The stored sample; each level of up to 8 bits occurs.
        func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int {
            let level = (y * Self.width + x) * (colorType == 2 ? channel + 1 : 1) + (channel == 3 ? 100 : 0)
            return depth == 16 ? level % 256 * 257 ^ (level % 7 == 3 ? 1 : 0) : level & (1 << depth - 1)
        }

        static func color(_ index: Int) -> [Int] { [index * 5 & 255, 255 - index, index * 31 & 255] }

        var file: Data {
            var maker = PNGMaker(rows: [])
            (maker.width, maker.height, maker.colorType) = (Self.width, Self.height, colorType)
            for pass in isInterlaced ? Self.passes : [(0, 0, 1, 1)] {
                let columns = Array(stride(from: pass.0, to: Self.width, by: pass.2))
                for y in stride(from: pass.1, to: Self.height, by: pass.3) where !columns.isEmpty {
                    maker.rows += [0] + row(y, columns)
                }
            }
            if colorType == 3 {
                maker.palette = (0..<1 << depth).flatMap { Self.color($0).map { UInt8($0) } }
            }
            maker.transparency = transparency.flatMap { level in
                colorType == 3 ? [UInt8(level)] : [UInt8(level >> 8), UInt8(level & 255)]
            }
            var list = maker.chunks
            list.chunks[0].data[8] = UInt8(depth)
            list.chunks[0].data[12] = isInterlaced ? 1 : 0
            return list.file
        }

        /// Adam7 (W3C PNG, 8.1): the first column and row of each pass, and its steps.
        private static let passes = [
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
        ]

        private func row(_ y: Int, _ columns: [Int]) -> [UInt8] {
            let bits = columns.flatMap { x in
                (0..<channels).flatMap { channel in
                    (0..<depth).reversed().map { sample(x, y, channel) >> $0 & 1 }
                }
            }
            return stride(from: 0, to: bits.count, by: 8).map { start in
                (0..<8).reduce(0) { $0 << 1 | UInt8(start + $1 < bits.count ? bits[start + $1] : 0) }
            }
        }

        /// The samples of a pixel as the standard says, with 8 or 16 bits.
        func expected(_ x: Int, _ y: Int) -> [Int] {
            let stored = (0..<channels).map { sample(x, y, $0) }
            if colorType == 3 {
                let alpha = stored[0] < transparency.count ? transparency[stored[0]] : 255
                return Self.color(stored[0]) + [alpha]
            }
            let maximum = 1 << depth - 1
            let full = depth == 16 ? 65_535 : 255
            let levels = stored.map { $0 * full / maximum }
            if colorType == 4 || colorType == 6 { return levels }
            let isClear = !transparency.isEmpty && stored == transparency.map { $0 & maximum }
            if colorType == 0, transparency.isEmpty { return levels }
            return levels + [isClear ? 0 : full]
        }
    }

    @Test("Pixels and alpha are what the standard says", arguments: Kind.all)
    func pixels(_ kind: Kind) throws {
        let pixels = try PNGCodec().decode(kind.file, minimumSize: nil)
        #expect(pixels.size == PixelSize(width: Kind.width, height: Kind.height))
        var clear = 0
        for y in 0..<Kind.height {
            for x in 0..<Kind.width {
                let (found, expected) = (pixels.samples(x: x, y: y), kind.expected(x, y))
                guard found == expected else {
                    Issue.record("pixel \(x), \(y): \(found ?? []) in place of \(expected)")
                    return
                }
                if !pixels.format.isOpaque, expected.last == 0 { clear += 1 }
            }
        }
        let isPalette = kind.colorType == 3 && !kind.transparency.contains(0)
        #expect(kind.transparency.isEmpty || isPalette || clear > 0)
        // Averaged rows keep a part of each transparent pixel.
        let small = try PNGCodec().decode(kind.file, minimumSize: PixelSize(width: 9, height: 4))
        let full = kind.depth == 16 ? 65_535 : 255
        #expect(clear == 0 || Samples.all(small).contains { ($0.last ?? full) < full })
    }

    @Test("An animation of one colour type has the transparency of a still", arguments: Kind.all)
    func animation(_ kind: Kind) throws {
        var list = ChunkList(kind.file)
        let data = try #require(list.places("IDAT").first)
        var control = [kind.sizeBytes, [UInt8](repeating: 0, count: 8), [0, 1, 0, 10, 0, 0]].flatMap { $0 }
        let pixels = list.chunks[data].data
        list.chunks.insert(.init(type: "fcTL", data: ChunkList.bytes(0) + control), at: data)
        list.chunks.insert(.init(type: "acTL", data: ChunkList.bytes(2) + ChunkList.bytes(0)), at: 1)
        control[control.count - 2] = 1
        list.chunks.insert(
            contentsOf: [
                .init(type: "fcTL", data: ChunkList.bytes(1) + control),
                .init(type: "fdAT", data: ChunkList.bytes(2) + pixels),
            ], at: list.chunks.count - 1)
        let source = try APNGCodec.source(list.file)
        let frame = try #require(source.frame(at: 0))
        for y in 0..<Kind.height {
            for x in 0..<Kind.width {
                let found = try #require(frame.samples(x: x, y: y))
                let expected = kind.expected(x, y)
                let full = kind.depth == 16 ? 65_535 : 255
                let color =
                    expected.count < 3 ? Array(repeating: expected[0], count: 3) : Array(expected[0..<3])
                let alpha = expected.count % 2 == 0 ? expected[expected.count - 1] : full
                // The colour of a translucent pixel may have been rounded.
                guard found[3] == alpha, alpha != full || Array(found[0..<3]) == color else {
                    Issue.record("pixel \(x), \(y): \(found) in place of \(color) and \(alpha)")
                    return
                }
            }
        }
    }
}

extension PNGTransparencyTests.Kind {
    fileprivate var sizeBytes: [UInt8] {
        ChunkList.bytes(UInt32(Self.width)) + ChunkList.bytes(UInt32(Self.height))
    }
}
