import Foundation
import KingfisherImage

/// One operation of a decoder with a file, and the checks of its result.
struct Exchange {
    private let operation: Operation
    private let file: IsolatedFile
    /// The header of the opened file, which no result may contradict; nil if it need not be open.
    private let header: ImageHeader?
    /// Bytes that follow the file in the arena.
    private let extra: [UInt8]

    init(_ operation: Operation, _ file: IsolatedFile, header: ImageHeader? = nil, extra: [UInt8] = []) {
        (self.operation, self.file, self.header, self.extra) = (operation, file, header, extra)
    }

    /// A result, copied out of the arena.
    enum Result {
        case number(Int)
        case description(FileDescription)
        case frames(FramesDescription?)
        case metadata(ImageMetadataBlocks)
        case file(Data)
        case pixels(PixelBuffer)
    }

    func run() throws(ImageCodecError) -> Result {
        try file.pool.run(with: file.encoded, file.access) { process throws(DecoderFault) in
            guard let header, process.opened != file.jobFile(process.fileNumber) else {
                return try perform(in: process)
            }
            guard case .description(let description) = try Exchange(.open, file).perform(in: process),
                description.header == header
            else { throw violation("a file has two headers") }
            return try perform(in: process, isFirst: false)
        }
    }

    func pixels() throws(ImageCodecError) -> PixelBuffer {
        guard case .pixels(let pixels) = try run() else { throw .emptyImage }
        return pixels
    }

    /// - Parameter isFirst: Whether the process may have ended before it got the file.
    private func perform(
        in process: DecoderProcess, isFirst: Bool = true
    ) throws(DecoderFault) -> Result {
        let offset = (fileCount + extra.count + 4_095) & ~4_095
        try process.arena.grow(to: offset + usualCount)
        if !extra.isEmpty { try process.arena.write(extra, at: fileCount) }
        var output = OutputArea(offset: offset, count: process.arena.count - offset)
        let job = Job(file: file.jobFile(process.fileNumber), operation: operation, output: output)
        var reply = try exchange(.perform(job), with: process, isFirst: isFirst)
        if case .needsRoom(let count) = reply {
            guard count > output.count, count <= largestCount else {
                throw violation("it needs \(count) bytes for a result")
            }
            try process.arena.grow(to: offset + count)
            output.count = count
            reply = try exchange(.deliver(output), with: process, isFirst: false)
        }
        let result = try result(of: reply, in: output, process.arena)
        if operation == .open { process.opened = job.file }
        return result
    }

    private func exchange(
        _ request: WorkerRequest, with process: DecoderProcess, isFirst: Bool
    ) throws(DecoderFault) -> WorkerReply {
        do throws(DecoderFault) {
            try process.send(request)
        } catch {
            throw isFirst ? error : .failure(.crashed(signal: 0))
        }
        let settings = file.pool.settings
        return try process.reply(
            within: TimeLimit(cpu: settings.cpuTimeLimit, wall: settings.wallTimeLimit))
    }

    private func violation(_ detail: String) -> DecoderFault { .failure(.violatedProtocol(detail)) }

    private func result(
        of reply: WorkerReply, in output: OutputArea, _ arena: Arena
    ) throws(DecoderFault) -> Result {
        switch reply {
        case .failure(let error): throw .codec(error)
        case .number(let number) where !givesBytes && !givesPixels: return .number(number)
        case .bytes(let count) where givesBytes:
            guard count <= min(output.count, largestCount) else { throw violation("a result is too large") }
            return try parsed(try arena.bytes(at: output.offset, count: count))
        case .pixels(let shape) where givesPixels:
            return .pixels(try pixels(shape, in: output, arena))
        default: throw violation("a reply does not fit its request")
        }
    }

    /// Reads a result from a copy, which the decoder cannot change any more.
    private func parsed(_ bytes: [UInt8]) throws(DecoderFault) -> Result {
        let result = bytes.withUnsafeBytes { bytes in
            Swift.Result { () throws(ProtocolViolation) in try parsed(bytes) }
        }
        do throws(ProtocolViolation) {
            return try result.get()
        } catch {
            throw violation(error.detail)
        }
    }

    private func parsed(_ bytes: UnsafeRawBufferPointer) throws(ProtocolViolation) -> Result {
        switch operation {
        case .open: return .description(try FileDescription(payload: bytes, limits: file.limits))
        case .frames:
            guard bytes.count > 0 else { return .frames(nil) }
            let description = try FramesDescription(payload: bytes, limits: file.limits, fileCount: fileCount)
            guard let header, description.durations.count <= header.frameCount else {
                throw ProtocolViolation("an animation has more frames than its header")
            }
            return .frames(description)
        case .metadata: return .metadata(try ImageMetadataBlocks(payload: bytes))
        default: return .file(Data(bytes))
        }
    }

    /// Checks the shape before memory is taken.
    private func pixels(
        _ shape: PixelShape, in output: OutputArea, _ arena: Arena
    ) throws(DecoderFault) -> PixelBuffer {
        guard shape.byteCount <= output.count else { throw violation("the pixels are outside of the arena") }
        guard shape.size.area <= file.limits.maximumPixels, shape.byteCount <= largestCount else {
            throw violation("the pixels exceed the limits or the header")
        }
        guard let bound, bound.allows(shape.size) else {
            if case .frame = operation { throw .codec(.corrupt("a frame has another size")) }
            throw violation("the pixels have another size than the header or the target")
        }
        return try arena.pixels(shape, at: output.offset)
    }
}

// MARK: Sizes

extension Exchange {
    private var fileCount: Int { file.encoded.data.count }

    /// The size of the result's pixels; nil if it has none.
    private var bound: PixelBound? {
        guard let header else { return nil }
        switch operation {
        case .decode(let target): return PixelBound(target, of: header)
        case .frame(_, let maximumSize):
            let canvas = header.displaySize
            return .exactly(maximumSize.map { canvas.fitted(within: $0) } ?? canvas)
        default: return nil
        }
    }

    private var givesPixels: Bool {
        switch operation {
        case .decode, .frame: true
        default: false
        }
    }

    private var givesBytes: Bool {
        switch operation {
        case .open, .frames, .metadata, .replaceMetadata: true
        default: false
        }
    }

    /// The room that a result usually needs.
    private var usualCount: Int {
        if case .decode(.exactly) = operation { largestCount } else { 64 << 10 }
    }

    /// More bytes than this are a violation.
    private var largestCount: Int {
        let timing = 1_024 + 8 * file.limits.maximumFrames
        return switch operation {
        case .decode, .frame: min(pixelBytes, file.limits.maximumFrameBytes)
        case .open: timing
        case .frames: timing + fileCount
        case .metadata: ImageMetadataBlocks.maximumBytes + 1_024
        case .replaceMetadata: fileCount + extra.count + (1 << 20)
        case .memory: 0
        }
    }

    /// The most bytes of the pixels.
    private var pixelBytes: Int {
        guard let header, let bound else { return 0 }
        return bound.byteCount(of: header)
    }
}
