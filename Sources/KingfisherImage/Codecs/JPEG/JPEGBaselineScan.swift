import CKernels

/// The single scan of a baseline JPEG file, with its tables (ITU-T T.81, annex B).
///
/// Only files that `JPEGReducedDecoder` decodes: 8 bits, Huffman coding, one scan with all components,
/// greyscale or YCbCr, sampling factors of 1 and 2. `init` returns nil for all others, valid or not; libjpeg
/// decodes those.
struct JPEGBaselineScan {
    struct Component {
        let identifier: Int
        let horizontal: Int
        let vertical: Int
        let quantization: Int
        var dc = 0
        var ac = 0
    }

    /// Sixteen numbers of codes and their values; it shares the scanned bytes.
    typealias HuffmanTable = ByteReader

    private(set) var components: [Component] = []
    private(set) var restartInterval = 0
    /// The factors of four tables, in the order of rows.
    private(set) var quantization = [[UInt16]?](repeating: nil, count: 4)
    private(set) var dcTables = [HuffmanTable?](repeating: nil, count: 4)
    private(set) var acTables = [HuffmanTable?](repeating: nil, count: 4)
    /// The bytes from the first entropy-coded one to the end of the file.
    private(set) var data: ByteReader
    private var hasJFIF = false
    private var adobeTransform: Int?

    init?(_ reader: ByteReader, frame: JPEGFrameHeader) {
        guard [0xC0, 0xC1].contains(frame.frameMarker), frame.precision == 8 else { return nil }
        data = reader
        var offset = 2
        while let (code, next) = try? JPEGFrameHeader.marker(in: reader, from: offset) {
            if code == 0x01 || (0xD0...0xD7).contains(code) {
                offset = next
                continue
            }
            guard let length = reader.uint16(at: next, bigEndian: true),
                let body = reader.slice(at: next + 2, count: length - 2)
            else { return nil }
            offset = next + length
            if code == 0xDA {
                guard takeScan(body), isYCbCr, hasTables,
                    let data = reader.slice(at: offset, count: reader.count - offset)
                else { return nil }
                self.data = data
                return
            }
            guard take(segment: code, body) else { return nil }
        }
        return nil
    }

    private mutating func take(segment code: Int, _ body: ByteReader) -> Bool {
        switch code {
        case 0xC0, 0xC1: takeFrame(body)
        case 0xC4: takeHuffmanTables(body)
        case 0xDB: takeQuantization(body)
        case 0xDD: takeRestartInterval(body)
        case 0xE0:
            takeJFIF(body)
        case 0xEE:
            takeAdobe(body)
        case 0xC2...0xCF: false
        default: true
        }
    }

    private mutating func takeFrame(_ body: ByteReader) -> Bool {
        guard let count = body.uint8(at: 5), [1, 3].contains(count), body.count == 6 + 3 * count else {
            return false
        }
        for index in 0..<count {
            let factors = body.bytes[7 + 3 * index]
            let component = Component(
                identifier: Int(body.bytes[6 + 3 * index]), horizontal: count == 1 ? 1 : Int(factors >> 4),
                vertical: count == 1 ? 1 : Int(factors & 15), quantization: Int(body.bytes[8 + 3 * index]))
            guard (1...2).contains(Int(factors >> 4)), (1...2).contains(Int(factors & 15)),
                component.quantization < 4,
                !components.contains(where: { $0.identifier == component.identifier })
            else { return false }
            components.append(component)
        }
        // T.81, B.2.3; the decoder has room for no more.
        return components.reduce(0) { $0 + $1.horizontal * $1.vertical } <= Int(KF_JPEG_MCU_BLOCKS)
    }

    private mutating func takeHuffmanTables(_ body: ByteReader) -> Bool {
        var offset = 0
        while offset < body.count {
            guard let selector = body.uint8(at: offset), selector & 0xEC == 0,
                let counts = body.slice(at: offset + 1, count: 16)
            else { return false }
            let values = counts.bytes.reduce(0) { $0 + Int($1) }
            guard values <= 256, let table = body.slice(at: offset + 1, count: 16 + values) else {
                return false
            }
            if selector & 0x10 != 0 {
                acTables[selector & 3] = table
            } else {
                // More than 11 bits of a difference are not in files of 8-bit samples.
                guard table.bytes.dropFirst(16).allSatisfy({ $0 <= 11 }) else { return false }
                dcTables[selector & 3] = table
            }
            offset += 17 + values
        }
        return true
    }

    private mutating func takeQuantization(_ body: ByteReader) -> Bool {
        var offset = 0
        while offset < body.count {
            guard let selector = body.uint8(at: offset), selector & 0xEC == 0 else { return false }
            let width = selector >> 4 == 0 ? 1 : 2
            var factors = [UInt16](repeating: 0, count: 64)
            for (index, place) in Self.naturalOrder.enumerated() {
                let at = offset + 1 + index * width
                guard let factor = width == 1 ? body.uint8(at: at) : body.uint16(at: at, bigEndian: true),
                    (1...32_767).contains(factor)
                else { return false }
                factors[Int(place)] = UInt16(factor)
            }
            quantization[selector & 3] = factors
            offset += 1 + 64 * width
        }
        return true
    }

    private mutating func takeRestartInterval(_ body: ByteReader) -> Bool {
        guard body.count == 2, let interval = body.uint16(at: 0, bigEndian: true) else { return false }
        restartInterval = interval
        return true
    }

    private mutating func takeJFIF(_ body: ByteReader) -> Bool {
        if body.has("JFIF\0", at: 0), body.count >= 14 { hasJFIF = true }
        return true
    }

    private mutating func takeAdobe(_ body: ByteReader) -> Bool {
        if body.has("Adobe", at: 0), body.count >= 12 { adobeTransform = body.uint8(at: 11) }
        return true
    }

    /// The header of a scan that has all components in the order of the frame, and all coefficients.
    private mutating func takeScan(_ body: ByteReader) -> Bool {
        guard !components.isEmpty, body.uint8(at: 0) == components.count,
            body.count == 4 + 2 * components.count, Array(body.bytes.suffix(3)) == [0, 63, 0]
        else { return false }
        for index in components.indices {
            let tables = Int(body.bytes[2 + 2 * index])
            guard Int(body.bytes[1 + 2 * index]) == components[index].identifier, tables & 0xCC == 0 else {
                return false
            }
            (components[index].dc, components[index].ac) = (tables >> 4, tables & 3)
        }
        return true
    }

    /// Whether libjpeg takes three components for YCbCr. It guesses in other cases, too.
    private var isYCbCr: Bool {
        if components.count == 1 { return true }
        if let adobeTransform { return adobeTransform == 1 }
        return hasJFIF || components.map(\.identifier) == [1, 2, 3]
    }

    private var hasTables: Bool {
        components.allSatisfy {
            quantization[$0.quantization] != nil && dcTables[$0.dc] != nil && acTables[$0.ac] != nil
        }
    }

    /// Where the coefficients of a block are, in the order of the file (T.81, figure 5).
    private static let naturalOrder: [UInt8] = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,
        7,
        14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31,
        39,
        46, 53, 60, 61, 54, 47, 55, 62, 63,
    ]
}
