import Glibc
import KingfisherCodecSupport

/// Converts stored rows without run lengths to RGBA.
struct DIBRowReader {
    private enum Kind {
        case palette(bits: Int, [UInt32])
        case triples
        case fields16(PixelFields)
        case fields32(PixelFields)
        /// Four bytes; the last one is alpha or unused.
        case quadruples(hasAlpha: Bool)
    }

    private let kind: Kind
    private let width: Int

    init(_ header: DIBHeader, fields: PixelFields?, palette: DIBPalette?) {
        width = header.size.width
        switch (header.bitCount, fields) {
        case (24, _): kind = .triples
        case (16, let fields?): kind = .fields16(fields)
        case (_, let fields?) where fields.areBytes: kind = .quadruples(hasAlpha: fields.alpha != nil)
        case (_, let fields?): kind = .fields32(fields)
        case (let bits, nil): kind = .palette(bits: bits, palette?.pixels ?? [])
        }
    }

    /// Reads a row of `DIBHeader.rowBytes` bytes, which the caller has checked, into `target`.
    func read(_ row: UnsafeRawPointer, into target: UnsafeMutablePointer<UInt32>) {
        switch kind {
        case .palette(8, let palette):
            for x in 0..<width { target[x] = palette[Int(row.load(fromByteOffset: x, as: UInt8.self))] }
        case .palette(let bits, let palette): readPacked(row, bits, palette, into: target)
        case .triples: readTriples(row, into: target)
        case .quadruples(let hasAlpha): readQuadruples(row, hasAlpha: hasAlpha, into: target)
        case .fields16(let fields):
            for x in 0..<width {
                let pixel = row.loadUnaligned(fromByteOffset: x * 2, as: UInt16.self)
                target[x] = fields.rgba(UInt32(UInt16(littleEndian: pixel)))
            }
        case .fields32(let fields):
            for x in 0..<width {
                let pixel = row.loadUnaligned(fromByteOffset: x * 4, as: UInt32.self)
                target[x] = fields.rgba(UInt32(littleEndian: pixel))
            }
        }
    }

    /// 1, 2 or 4 bits a pixel, the leftmost pixel in the highest bits.
    private func readPacked(
        _ row: UnsafeRawPointer, _ bits: Int, _ palette: [UInt32],
        into target: UnsafeMutablePointer<UInt32>
    ) {
        let (perByte, mask) = (8 / bits, UInt8(1 << bits - 1))
        for x in 0..<width {
            let byte = row.load(fromByteOffset: x / perByte, as: UInt8.self)
            let shift = UInt8(8 - bits - x % perByte * bits)
            target[x] = palette[Int(byte &>> shift & mask)]
        }
    }

    private func readTriples(_ row: UnsafeRawPointer, into target: UnsafeMutablePointer<UInt32>) {
        let bytes = row.assumingMemoryBound(to: UInt8.self)
        var from = 0
        for x in 0..<width {
            let color = UInt32(bytes[from &+ 2]) | UInt32(bytes[from &+ 1]) &<< 8 | UInt32(bytes[from]) &<< 16
            target[x] = UInt32(littleEndian: color | 0xFF00_0000)
            from &+= 3
        }
    }

    private func readQuadruples(
        _ row: UnsafeRawPointer, hasAlpha: Bool, into target: UnsafeMutablePointer<UInt32>
    ) {
        let opaque: UInt32 = hasAlpha ? 0 : 0xFF00_0000
        for x in 0..<width {
            let stored = row.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self)
            let pixel = UInt32(littleEndian: stored)
            let sides = pixel &>> 16 & 0xFF | (pixel & 0xFF) &<< 16
            target[x] = UInt32(littleEndian: pixel & 0xFF00_FF00 | sides | opaque)
        }
    }
}

extension PixelFields {
    fileprivate func rgba(_ pixel: UInt32) -> UInt32 {
        let color = UInt32(red.sample(of: pixel)) | UInt32(green.sample(of: pixel)) &<< 8
        let rest = UInt32(blue.sample(of: pixel)) &<< 16 | UInt32(alpha?.sample(of: pixel) ?? 255) &<< 24
        return UInt32(littleEndian: color | rest)
    }
}
