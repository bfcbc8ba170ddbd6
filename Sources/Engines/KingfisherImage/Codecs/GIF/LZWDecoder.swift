/// Decompresses GIF's LZW codes of growing width (GIF89a specification, appendix F) to palette indices.
///
/// The string of every code in the table already occurs in the output: the string of an earlier code plus the
/// next pixel. So the table stores its offset and length, and a code costs one copy instead of a walk through
/// prefixes.
struct LZWDecoder: ~Copyable {
    private struct Run {
        var start: UInt32
        var count: UInt32
    }

    private static let maximumCodes = 4096
    /// The output is preceded by all single indices, so that these are also runs.
    private static let literals = 256
    /// Copies write whole words, and the last run may exceed the missing indices.
    private static let slack = maximumCodes + 8

    private let output: Scratch
    private let table: Scratch
    private let count: Int

    /// Valid once `unpack` has returned.
    var indices: UnsafePointer<UInt8> { UnsafePointer(output.bytes + Self.literals) }

    init(count: Int) throws(ImageCodecError) {
        let output = try Scratch(byteCount: Self.literals + count + Self.slack)
        let table = try Scratch(byteCount: Self.maximumCodes * MemoryLayout<Run>.stride)
        for index in 0..<Self.literals { output.bytes[index] = UInt8(index) }
        self.output = output
        self.table = table
        self.count = count
    }

    /// Decompresses `codes` and returns the number of indices; ignores surplus data. Throws if indices are
    /// missing, unless `acceptsPart` is true.
    ///
    /// A full table remains in use until a clear code comes (the specification's deferred clear).
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
        // The entry begun by the last code, whose last index is still missing; -1 after a clear, or if the
        // table is full.
        var newest = -1
        var width = minimumCodeSize &+ 1
        var bit = 0
        while position < end {
            guard bit &+ width <= codes.bitCount else {
                if acceptsPart { break }
                throw .corrupt("truncated LZW codes")
            }
            let code = codes.code(at: bit, width: width)
            bit &+= width
            if UInt(bitPattern: code &- clear) < 2 {
                guard code == clear else { throw .corrupt("truncated LZW codes") }
                available = clear &+ 2
                newest = -1
                width = minimumCodeSize &+ 1
                continue
            }
            guard code < available else { throw .corrupt("an undefined LZW code") }
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
            // The last index of that string is known only now: it is the first one of this run.
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

/// The concatenated sub-blocks of a frame, read as codes from the low bit up.
struct LZWCodes: ~Copyable {
    let bitCount: Int
    private let bytes: Scratch

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

    /// The `width` bits (at most 12) at `bit`, which must be less than `bitCount`.
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
