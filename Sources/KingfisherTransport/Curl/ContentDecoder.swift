import CZlib

/// Undoes the content encodings of one body (RFC 9110, 8.4.1) as far as it is asked to.
///
/// What is not asked for stays compressed, so that a paused transfer holds a few tens of KiB however
/// much its body expands to.
final class ContentDecoder {
    /// Encodings on top of each other.
    static let maxEncodings = 4

    /// The encoding of the wire first.
    private let stages: [Inflater]
    /// What each stage makes; that of the last one is the body.
    private let outputs: [UnsafeMutableRawBufferPointer]
    /// How much of the body's piece was not taken yet.
    private var pending = 0
    /// Pieces that inner encodings may still make in this call of `next()`.
    private var innerPieces = 0
    /// Such pieces for one call: they may come to nothing, and there may be gigabytes of them.
    static let maxInnerPieces = 16

    private static let pieceSize = 16 << 10

    /// - Parameter field: The value of `Content-Encoding`.
    init(_ field: String) throws(TransportError) {
        stages = try Self.stages(for: field)
        outputs = stages.map { _ in .allocate(byteCount: Self.pieceSize, alignment: 16) }
    }

    private static func stages(for field: String) throws(TransportError) -> [Inflater] {
        var stages: [Inflater] = []
        // The last one was applied last.
        for name in field.split(separator: ",").reversed() {
            let name = name.lowercased().filter { !$0.isWhitespace }
            switch name {
            case "", "identity", "none": continue
            case "gzip", "x-gzip": stages.append(try Inflater(.gzip))
            case "deflate": stages.append(try Inflater(.deflate))
            default: throw .undecodable("content encoding \(String(name.prefix(40)).debugDescription)")
            }
            guard stages.count <= maxEncodings else {
                throw .undecodable("more than \(maxEncodings) content encodings")
            }
        }
        return stages
    }

    deinit { for output in outputs { output.deallocate() } }

    /// Whether there is anything to undo.
    static func isNeeded(for field: String) -> Bool {
        field.split(separator: ",").contains {
            !["", "identity", "none"].contains($0.lowercased().filter { !$0.isWhitespace })
        }
    }

    /// Takes bytes off the wire, after ``next()`` has returned nil.
    func append(_ bytes: UnsafeRawBufferPointer) { stages.first?.append(bytes) }

    /// Whether ``next()`` has returned nil to let others work, and not because it needs more from the wire.
    private(set) var isUnfinished = false

    /// The next decoded bytes, the same ones until ``take()``; nil when more is needed from the wire, or when
    /// inner encodings have made much that came to nothing.
    func next() throws(TransportError) -> UnsafeRawBufferPointer? {
        if pending == 0 {
            (innerPieces, isUnfinished) = (Self.maxInnerPieces, false)
            pending = try run(stages.count - 1)
        }
        return pending == 0 ? nil : UnsafeRawBufferPointer(rebasing: outputs[stages.count - 1][..<pending])
    }

    /// Drops what ``next()`` has returned.
    func take() { pending = 0 }

    /// Has a stage make its next bytes, those before it as many as it needs; returns their number.
    private func run(_ index: Int) throws(TransportError) -> Int {
        guard stages.indices.contains(index) else { return 0 }
        while true {
            let count = try stages[index].inflate(into: outputs[index])
            if count > 0 || index == 0 { return count }
            guard innerPieces > 0 else {
                isUnfinished = true
                return 0
            }
            innerPieces -= 1
            let refill = try run(index - 1)
            guard refill > 0 else { return 0 }
            stages[index].append(UnsafeRawBufferPointer(rebasing: outputs[index - 1][..<refill]))
        }
    }
}

/// Undoes one gzip (RFC 1952) or deflate encoding: zlib's format (RFC 1950), or the bare one (RFC 1951) that
/// some servers send under that name.
private final class Inflater {
    enum Format { case gzip, deflate }

    private let format: Format
    /// In one place for as long as zlib knows it.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isOpen = false
    /// What comes after the end is dropped, as browsers do.
    private var hasEnded = false
    private var input: [UInt8] = []
    private var consumed = 0

    init(_ format: Format) throws(TransportError) {
        self.format = format
        stream.initialize(to: z_stream())
        if case .gzip = format { try open(window: 15 + 16) }
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    private func open(window: Int32) throws(TransportError) {
        guard inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .io("zlib could not be initialised")
        }
        isOpen = true
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard !hasEnded else { return }
        input.removeFirst(consumed)
        consumed = 0
        input.append(contentsOf: bytes)
    }

    /// The number of bytes made; 0 when more input is needed, or at the end.
    func inflate(into target: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        guard !hasEnded else { return 0 }
        if !isOpen {
            guard input.count >= 2 else { return 0 }
            let isZlib = input[0] & 15 == 8 && (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
            try open(window: isZlib ? 15 : -15)
        }
        let count = input.count
        let status = input.withUnsafeMutableBufferPointer { source in
            stream.pointee.next_in = source.baseAddress.map { $0 + consumed }
            stream.pointee.avail_in = UInt32(source.count - consumed)
            stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(target.count)
            return CZlib.inflate(stream, Z_NO_FLUSH)
        }
        consumed = count - Int(stream.pointee.avail_in)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            hasEnded = true
            (input, consumed) = ([], 0)
        default:
            let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)"
            throw .undecodable(reason)
        }
        return target.count - Int(stream.pointee.avail_out)
    }
}
