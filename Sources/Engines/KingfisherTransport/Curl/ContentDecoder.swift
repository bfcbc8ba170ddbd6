import CZlib

/// Decodes the content encodings of one body (RFC 9110, 8.4.1), only as far as the caller asks.
///
/// The rest stays compressed, so a paused transfer holds a few tens of KiB, however large its decoded body
/// is.
final class ContentDecoder {
    static let maxEncodings = 4

    /// The first stage decodes the outermost encoding.
    private let stages: [Inflater]
    private let outputs: [UnsafeMutableRawBufferPointer]
    private var pendingBytes = 0
    private var innerPiecesLeft = 0
    /// The maximum per call: inner pieces may produce no body bytes, and there may be gigabytes of them.
    static let maxInnerPieces = 16

    private static let pieceSize = 16 << 10

    init(_ field: String) throws(TransportError) {
        stages = try Self.stages(for: field)
        outputs = stages.map { _ in .allocate(byteCount: Self.pieceSize, alignment: 16) }
    }

    private static func stages(for field: String) throws(TransportError) -> [Inflater] {
        var stages: [Inflater] = []
        // Encodings are listed in the order of their application, so decode the last one first.
        for coding in ContentCoding.list(field).reversed() {
            switch coding {
            case .unknown: continue
            case .gzip: stages.append(try Inflater(.gzip))
            case .deflate: stages.append(try Inflater(.deflate))
            case .unsupported(let name):
                throw .undecodable("unsupported content encoding \(name.debugDescription)")
            }
            guard stages.count <= maxEncodings else {
                throw .undecodable("more than \(maxEncodings) content encodings")
            }
        }
        return stages
    }

    deinit { for output in outputs { output.deallocate() } }

    static func isNeeded(for field: String) -> Bool {
        ContentCoding.list(field).contains { $0 != .unknown }
    }

    /// Appends bytes from the network. Call it after ``next()`` has returned nil.
    func append(_ bytes: UnsafeRawBufferPointer) { stages.first?.append(bytes) }

    /// Whether ``next()`` has returned nil to yield, not because it needs more input.
    private(set) var isUnfinished = false

    /// The next decoded bytes; the same ones until ``take()``. Returns nil if more input is needed, or after
    /// many inner pieces without body bytes.
    func next() throws(TransportError) -> UnsafeRawBufferPointer? {
        if pendingBytes == 0 {
            (innerPiecesLeft, isUnfinished) = (Self.maxInnerPieces, false)
            pendingBytes = try run(stages.count - 1)
        }
        return pendingBytes == 0
            ? nil : UnsafeRawBufferPointer(rebasing: outputs[stages.count - 1][..<pendingBytes])
    }

    func take() { pendingBytes = 0 }

    private func run(_ index: Int) throws(TransportError) -> Int {
        guard stages.indices.contains(index) else { return 0 }
        while true {
            let count = try stages[index].inflate(into: outputs[index])
            if count > 0 || index == 0 { return count }
            guard innerPiecesLeft > 0 else {
                isUnfinished = true
                return 0
            }
            innerPiecesLeft -= 1
            let refill = try run(index - 1)
            guard refill > 0 else { return 0 }
            stages[index].append(UnsafeRawBufferPointer(rebasing: outputs[index - 1][..<refill]))
        }
    }
}

/// Decodes one gzip (RFC 1952) or deflate encoding. Deflate is zlib's format (RFC 1950), or raw deflate data
/// (RFC 1951), which some servers send under that name.
private final class Inflater {
    enum Format { case gzip, deflate }

    private let format: Format
    /// At a fixed address, because zlib stores a pointer to it.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isOpen = false
    /// Bytes after the end are ignored, as in browsers.
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

    /// Returns the number of bytes produced; 0 if more input is needed, or at the end.
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
