import CKernels

/// The frame and the tables of a JPEG file, as far as its segments have been read (ITU-T T.81, annex B).
///
/// Describes only files that this package's decoders support: 8 bits, Huffman coding, greyscale or YCbCr,
/// sampling factors of 1 and 2. All others, valid or not, are refused; libjpeg decodes those files.
struct JPEGTables {
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

    var components: [Component] = []
    private(set) var restartInterval = 0
    /// The factors of four tables, in the order of rows.
    private(set) var quantization = [[UInt16]?](repeating: nil, count: 4)
    private(set) var dcTables = [HuffmanTable?](repeating: nil, count: 4)
    private(set) var acTables = [HuffmanTable?](repeating: nil, count: 4)
    private var hasJFIF = false
    private var adobeTransform: Int?

    /// The samples of an MCU, in blocks.
    var horizontal: Int { components.map(\.horizontal).max() ?? 1 }
    var vertical: Int { components.map(\.vertical).max() ?? 1 }

    func columns(of size: PixelSize) -> Int { (size.width + 8 * horizontal - 1) / (8 * horizontal) }

    func rows(of size: PixelSize) -> Int { (size.height + 8 * vertical - 1) / (8 * vertical) }

    /// Takes a segment. False if the file is not supported or not certainly valid.
    mutating func take(segment code: Int, _ body: ByteReader) -> Bool {
        switch code {
        case 0xC0...0xC2: takeFrame(body)
        case 0xC4: takeHuffmanTables(body)
        case 0xDB: takeQuantization(body)
        case 0xDD: takeRestartInterval(body)
        case 0xE0: takeJFIF(body)
        case 0xEE: takeAdobe(body)
        // Segments of applications, a comment, and the number of lines, which libjpeg does not read.
        case 0xE1...0xEF, 0xFE, 0xDC: true
        default: false
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

    /// Whether libjpeg takes three components for YCbCr. In other cases it also guesses.
    var isYCbCr: Bool {
        if components.count == 1 { return true }
        if let adobeTransform { return adobeTransform == 1 }
        return hasJFIF || components.map(\.identifier) == [1, 2, 3]
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

extension JPEGTables {
    /// The components without codes, for `CKernels`. `factors` has room for 64 of each component. Nil if a
    /// quantization table is missing.
    func kernelComponents(_ factors: PooledMemory<UInt16>) -> [kf_jpeg_component]? {
        var result: [kf_jpeg_component] = []
        for (index, component) in components.enumerated() {
            guard let own = quantization[component.quantization] else { return nil }
            (factors.start + 64 * index).update(from: own, count: 64)
            result.append(
                kf_jpeg_component(
                    horizontal: Int32(component.horizontal), vertical: Int32(component.vertical), codes: nil,
                    quantization: factors.start + 64 * index))
        }
        return result
    }
}

extension JPEGTables.HuffmanTable {
    var definition: kf_jpeg_definition? {
        bytes.bindMemory(to: UInt8.self).baseAddress.map { kf_jpeg_definition(counts: $0, values: $0 + 16) }
    }
}
