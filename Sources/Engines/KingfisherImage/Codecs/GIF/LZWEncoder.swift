/// Compresses palette indices to GIF's LZW codes of growing width (GIF89a specification, appendix F).
///
/// The table is cleared as soon as it is full, because image content changes from place to place.
struct LZWEncoder {
    private static let maximumCodes = 4096
    /// Twice as many slots as codes keep searches short.
    private static let slots = 2 * maximumCodes
    private static let empty = UInt32.max

    private let clear: Int
    private let minimumCodeSize: Int
    private var width = 0
    private var available = 0
    /// The codes of the strings: prefix (12 bits), last index (8), code (12).
    private var strings = [UInt32](repeating: empty, count: slots)
    private var blocks = SubBlockWriter()

    /// Compresses `indices`, all below 1 << `minimumCodeSize`, to image data: the code size, then the
    /// sub-blocks with their terminator. `minimumCodeSize` is 2...8.
    static func pack(_ indices: [UInt8], minimumCodeSize: Int) -> [UInt8] {
        var encoder = LZWEncoder(minimumCodeSize: minimumCodeSize)
        encoder.append(indices)
        return [UInt8(minimumCodeSize)] + encoder.blocks.bytes
    }

    private init(minimumCodeSize: Int) {
        self.minimumCodeSize = minimumCodeSize
        clear = 1 << minimumCodeSize
    }

    private mutating func append(_ indices: [UInt8]) {
        // The first code is a clear code of the initial width.
        width = minimumCodeSize + 1
        reset()
        var code: Int?
        for index in indices {
            guard let prefix = code else {
                code = Int(index)
                continue
            }
            let key = UInt32(prefix) << 8 | UInt32(index)
            let slot = slot(of: key)
            if strings[slot] != Self.empty {
                code = Int(strings[slot] & 0xFFF)
            } else {
                emit(prefix, defining: key, in: slot)
                code = Int(index)
            }
        }
        if let code { emit(code, defining: nil, in: 0) }
        blocks.write(clear + 1, width: width)
        blocks.finish()
    }

    @inline(__always)
    private func slot(of key: UInt32) -> Int {
        // Fibonacci hashing: the top bits of a product with 2^32 divided by the golden ratio.
        var slot = Int((key &* 0x9E37_79B9) &>> 19)
        while strings[slot] != Self.empty, strings[slot] &>> 12 != key {
            slot = (slot &+ 1) & (Self.slots &- 1)
        }
        return slot
    }

    /// Writes `code` and assigns the next code to a new string. The decoder also assigns one after the last
    /// code, where there is no string.
    private mutating func emit(_ code: Int, defining key: UInt32?, in slot: Int) {
        blocks.write(code, width: width)
        if let key { strings[slot] = key << 12 | UInt32(available) }
        available += 1
        if available == Self.maximumCodes {
            reset()
        } else if available > 1 << width {
            width += 1
        }
    }

    private mutating func reset() {
        blocks.write(clear, width: width)
        width = minimumCodeSize + 1
        available = clear + 2
        for slot in strings.indices { strings[slot] = Self.empty }
    }
}

private struct SubBlockWriter {
    private(set) var bytes: [UInt8] = [0]
    private var bits: UInt64 = 0
    private var bitCount = 0
    private var lengthOffset = 0

    @inline(__always)
    mutating func write(_ code: Int, width: Int) {
        bits |= UInt64(UInt(bitPattern: code)) &<< UInt64(bitCount)
        bitCount &+= width
        while bitCount >= 8 {
            append(UInt8(truncatingIfNeeded: bits))
            bits &>>= 8
            bitCount &-= 8
        }
    }

    mutating func finish() {
        if bitCount > 0 { append(UInt8(truncatingIfNeeded: bits)) }
        // An empty block ends the data; the current one may be empty already.
        if bytes[lengthOffset] != 0 { bytes.append(0) }
    }

    private mutating func append(_ byte: UInt8) {
        if bytes[lengthOffset] == 255 {
            lengthOffset = bytes.count
            bytes.append(0)
        }
        bytes.append(byte)
        bytes[lengthOffset] += 1
    }
}
