/// Unpacks GIF's LZW codes of growing width (GIF89a specification, appendix F) into palette indices.
///
/// The string of every code in the table has been written to the output before: it is what an earlier code
/// stood for and the pixel that came next. So the table holds where a string lies and how long it is, and a
/// code costs one copy, however long its chain of prefixes.
struct LZWDecoder: ~Copyable {
    private struct Run {
        var start: UInt32
        var count: UInt32
    }

    private static let maximumCodes = 4096
    /// In front of the output stand all single indices, so that they are runs like the others.
    private static let literals = 256
    /// Copies go by words, and the last run may be longer than what is missing.
    private static let slack = maximumCodes + 8

    private let output: Scratch
    private let table: Scratch
    private let count: Int

    /// The indices, once `unpack` has returned.
    var indices: UnsafePointer<UInt8> { UnsafePointer(output.bytes + Self.literals) }

    /// Makes room for `count` indices.
    init(count: Int) throws(ImageCodecError) {
        let output = try Scratch(byteCount: Self.literals + count + Self.slack)
        let table = try Scratch(byteCount: Self.maximumCodes * MemoryLayout<Run>.stride)
        for index in 0..<Self.literals { output.bytes[index] = UInt8(index) }
        self.output = output
        self.table = table
        self.count = count
    }

    /// Unpacks `codes`; throws unless they hold all indices. What they hold beyond those is passed over.
    /// Returns how many indices there are, which may be fewer where `acceptsPart` is true.
    ///
    /// The table goes unused when full until a clear code comes (the specification's deferred clear).
    @discardableResult
    func unpack(
        _ codes: borrowing LZWCodes, minimumCodeSize: Int, acceptsPart: Bool = false
    ) throws(ImageCodecError) -> Int {
        guard 0...8 ~= minimumCodeSize else { throw .corrupt("LZW codes of \(minimumCodeSize) bits") }
        let table = self.table.samples(as: Run.self)
        let output = UnsafeMutableRawPointer(self.output.bytes)
        let clear = 1 << minimumCodeSize
        for code in 0..<clear { table[code] = Run(start: UInt32(code), count: 1) }

        // No offset here comes from the file. `position` is below `end` when a run is written; a run starts
        // before `position` and is shorter than `maximumCodes`, since each is one longer than one before.
        let end = Self.literals &+ count
        var position = Self.literals
        var available = clear &+ 2
        // The string that the last code began, until the next one ends it; none after a clear, or of a full
        // table.
        var newest = -1
        var width = minimumCodeSize &+ 1
        var bit = 0
        while position < end {
            guard bit &+ width <= codes.bitCount else {
                if acceptsPart { break }
                throw .corrupt("LZW codes end too early")
            }
            let code = codes.code(at: bit, width: width)
            bit &+= width
            if UInt(bitPattern: code &- clear) < 2 {
                guard code == clear else { throw .corrupt("LZW codes end too early") }
                available = clear &+ 2
                newest = -1
                width = minimumCodeSize &+ 1
                continue
            }
            guard code < available else { throw .corrupt("an LZW code before its string") }
            let run = table[code]
            let length = Int(run.count)
            let source = output + Int(run.start)
            let target = output + position
            var offset = 0
            repeat {
                let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
                offset &+= 8
            } while offset < length
            // That string lacks its last index until now: it is the first one of this very run.
            if code == newest {
                target.storeBytes(of: source.load(as: UInt8.self), toByteOffset: length &- 1, as: UInt8.self)
            }
            if available < Self.maximumCodes {
                table[available] = Run(
                    start: UInt32(truncatingIfNeeded: position), count: run.count &+ 1)
                newest = available
                available &+= 1
                if available > 1 << width { width &+= 1 }
            } else {
                newest = -1
            }
            position &+= length
        }
        return min(position &- Self.literals, count)
    }
}

/// The bytes of a frame's sub-blocks behind each other, read as codes from the low bit up.
struct LZWCodes: ~Copyable {
    let bitCount: Int
    private let bytes: Scratch

    /// Gathers the sub-blocks from `offset` up to their terminator, or to the end of the file.
    init(_ reader: ByteReader, at offset: Int) throws(ImageCodecError) {
        var count = 0
        Self.forEachBlock(of: reader, from: offset) { count += $0.count }
        // A code is read from a word of four bytes.
        let bytes = try Scratch(byteCount: count + 4)
        var written = 0
        Self.forEachBlock(of: reader, from: offset) { block in
            UnsafeMutableRawBufferPointer(start: bytes.bytes + written, count: block.count)
                .copyMemory(from: block.bytes)
            written += block.count
        }
        bitCount = count * 8
        self.bytes = bytes
    }

    /// The `width` bits, at most 12, from `bit` on, which must lie below `bitCount`.
    @inline(__always)
    func code(at bit: Int, width: Int) -> Int {
        let word = UnsafeRawPointer(bytes.bytes).loadUnaligned(fromByteOffset: bit &>> 3, as: UInt32.self)
        return Int(UInt32(littleEndian: word) &>> UInt32(truncatingIfNeeded: bit & 7)) & (1 &<< width &- 1)
    }

    private static func forEachBlock(of reader: ByteReader, from offset: Int, _ body: (ByteReader) -> Void) {
        var offset = offset
        while let length = reader.uint8(at: offset), length > 0,
            let block = reader.slice(at: offset + 1, count: length)
        {
            body(block)
            offset += 1 + length
        }
    }
}
