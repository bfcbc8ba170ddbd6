import Kingfisher
package import KingfisherImage

/// A message of a decoder to its program, which trusts nothing in it.
package enum WorkerReply: Hashable, Sendable {
    /// The first message, the greeting: the process is locked down. The version is the library's.
    case ready(DecoderReport, version: String = kingfisherVersion)
    case failure(ImageCodecError)
    case number(Int)
    /// The result is in the output area and has `count` bytes.
    case bytes(count: Int)
    /// The rows are in the output area.
    case pixels(PixelShape)
    /// The result needs an output area of `count` bytes; the decoder waits for `WorkerRequest.deliver`.
    case needsRoom(count: Int)
    /// A frame of a video needs bytes of the file; the decoder waits for `WorkerRequest.bytes`.
    case needsBytes(offset: Int, count: Int)
}

/// The meaning of pixels in the arena. Rows are `bytesPerRow` bytes apart, as in a `PixelBuffer`.
package struct PixelShape: Hashable, Sendable {
    package var size: PixelSize
    package var format: PixelFormat
    package var extent: PixelExtent

    package init(size: PixelSize, format: PixelFormat, extent: PixelExtent) {
        self.size = size
        self.format = format
        self.extent = extent
    }

    /// The bytes of all rows; saturates instead of overflowing.
    package var byteCount: Int {
        let row = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !row.overflow, row.partialValue <= .max - 63 else { return .max }
        let (total, overflow) = ((row.partialValue + 63) & ~63).multipliedReportingOverflow(by: size.height)
        return overflow ? .max : total
    }

    /// Throws unless the sides are positive and the extent covers all of them but a part of the last pixel.
    func check() throws(ProtocolViolation) {
        func covers(_ extent: Double, _ side: Int) -> Bool {
            extent > Double(side - 1) && extent <= Double(side)
        }
        guard !size.isEmpty, size.area < 1 << 40, covers(extent.width, size.width),
            covers(extent.height, size.height)
        else { throw ProtocolViolation("the pixels have an impossible shape") }
    }
}

// MARK: Encoding

extension WorkerReply {
    package var message: [UInt8] {
        var writer = MessageWriter()
        writer.put(Message.version)
        switch self {
        case .ready(let report, let version):
            writer.put(UInt8(0))
            writer.put(version)
            writer.put(report.lockDown.rawValue)
            writer.put(UInt8(clamping: report.formats.count))
            for format in report.formats.prefix(255) { writer.put(format) }
            writer.put(report.missing ?? "")
        case .failure(let error):
            writer.put(UInt8(1))
            writer.put(error)
        case .number(let number):
            writer.put(UInt8(2))
            writer.put(Int64(number))
        case .bytes(let count):
            writer.put(UInt8(3))
            writer.put(Int64(count))
        case .pixels(let shape):
            writer.put(UInt8(4))
            writer.put(shape)
        case .needsRoom(let count):
            writer.put(UInt8(5))
            writer.put(Int64(count))
        case .needsBytes(let offset, let count):
            writer.put(UInt8(6))
            writer.put(Int64(offset))
            writer.put(Int64(count))
        }
        return writer.bytes
    }

    package init(message: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        var reader = MessageReader(message)
        guard try reader.number(UInt32.self) == Message.version else {
            throw ProtocolViolation("it has another version")
        }
        switch try reader.number(UInt8.self) {
        case 0:
            let version = try reader.text()
            self = .ready(try reader.report(), version: version)
        case 1: self = .failure(try reader.error())
        case 2: self = .number(try reader.int())
        case 3: self = .bytes(count: try reader.count())
        case 4: self = .pixels(try reader.shape())
        case 5: self = .needsRoom(count: try reader.count())
        case 6: self = .needsBytes(offset: try reader.count(), count: try reader.count())
        default: throw ProtocolViolation("it is an unknown reply")
        }
        try reader.finish()
    }
}

extension MessageWriter {
    fileprivate mutating func put(_ shape: PixelShape) {
        put(shape.size)
        put(shape.format.layout.rawValue)
        put(UInt8(shape.format.depth.rawValue))
        put(shape.format.alpha.rawValue)
        put(shape.extent.width)
        put(shape.extent.height)
    }

    private mutating func putError(_ kind: UInt8, _ text: String = "", _ first: Int = 0, _ second: Int = 0) {
        put(kind)
        put(text)
        put(Int64(first))
        put(Int64(second))
    }

    fileprivate mutating func put(_ error: ImageCodecError) {
        switch error {
        case .unknownFormat: putError(0)
        case .truncated: putError(1)
        case .corrupt(let detail): putError(2, detail)
        case .tooLarge(let width, let height): putError(3, "", width, height)
        case .tooManyFrames: putError(4)
        case .tooManyAnimationPixels: putError(5)
        case .tooMuchMemory: putError(6)
        case .outOfMemory: putError(7)
        case .tooMuchMetadata: putError(8)
        case .unsupported(let feature): putError(9, feature)
        case .tooManyBytes(let smallest, let limit): putError(10, "", smallest, limit)
        case .emptyImage: putError(11)
        // A decoder process starts no other one.
        case .decoderFailed: putError(2, "\(error)")
        }
    }
}

// MARK: Decoding

extension MessageReader {
    fileprivate mutating func report() throws(ProtocolViolation) -> DecoderReport {
        let measures = LockDown(rawValue: try number())
        var formats: [String] = []
        for _ in 0..<(try number(UInt8.self)) { formats.append(try text()) }
        let missing = try text()
        return DecoderReport(
            lockDown: measures, formats: formats, missing: missing.isEmpty ? nil : missing)
    }

    fileprivate mutating func shape() throws(ProtocolViolation) -> PixelShape {
        let size = try size()
        guard let layout = PixelFormat.Layout(rawValue: try number()),
            let depth = PixelFormat.Depth(rawValue: Int(try number(UInt8.self))),
            let alpha = PixelFormat.Alpha(rawValue: try number())
        else { throw ProtocolViolation("the pixels have an unknown format") }
        let shape = PixelShape(
            size: size, format: PixelFormat(layout: layout, depth: depth, alpha: alpha),
            extent: PixelExtent(width: try double(), height: try double()))
        try shape.check()
        return shape
    }

    fileprivate mutating func error() throws(ProtocolViolation) -> ImageCodecError {
        let (kind, text) = (try number(UInt8.self), try text())
        let (first, second) = (try int(), try int())
        switch kind {
        case 0: return .unknownFormat
        case 1: return .truncated
        case 2: return .corrupt(text)
        case 3: return .tooLarge(width: first, height: second)
        case 4: return .tooManyFrames
        case 5: return .tooManyAnimationPixels
        case 6: return .tooMuchMemory
        case 7: return .outOfMemory
        case 8: return .tooMuchMetadata
        case 9: return .unsupported(text)
        case 10: return .tooManyBytes(smallest: first, limit: second)
        case 11: return .emptyImage
        default: throw ProtocolViolation("it has an unknown error")
        }
    }
}
