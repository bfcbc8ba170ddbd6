import Foundation
import KingfisherImage

/// One operation of a decoder with a file, and the checks of its result.
struct Exchange {
    let codec: String
    let access: DecoderAccess
    let file: Data
    let operation: Operation
    /// Bytes that follow the file in the arena.
    let extra: [UInt8]
    /// What the decoder has stated about the file, which its result must not contradict; nil if it is asked
    /// for the first time.
    let header: ImageHeader?
    /// The size of the result's pixels; nil if it has none.
    let bound: PixelBound?
    private let limits = ImageLimits.current

    init(
        codec: String, access: DecoderAccess, file: Data, operation: Operation, extra: [UInt8],
        header: ImageHeader?, bound: PixelBound?
    ) {
        self.codec = codec
        self.access = access
        self.file = file
        self.operation = operation
        self.extra = extra
        self.header = header
        self.bound = bound
    }

    /// A result, copied out of the arena.
    enum Result {
        case number(Int)
        case header(ImageHeader)
        case frames(FramesFacts?)
        case metadata(ImageMetadataBlocks)
        case file(Data)
        case pixels(PixelBuffer)
    }

    func run(in pool: DecoderPool) throws(ImageCodecError) -> Result {
        let limit = TimeLimit(cpu: pool.settings.cpuTimeLimit, wall: pool.settings.wallTimeLimit)
        return try pool.run(with: file, access) { process throws(DecoderFault) in
            try run(in: process, within: limit)
        }
    }

    private func run(
        in process: DecoderProcess, within limit: TimeLimit
    ) throws(DecoderFault) -> Result {
        let offset = (file.count + extra.count + 4_095) & ~4_095
        try process.arena.grow(to: offset + usualCount)
        if !extra.isEmpty {
            try Data(extra).bytes { bytes throws(DecoderFault) in
                try process.arena.write(bytes, at: file.count)
            }
        }
        var output = OutputArea(offset: offset, count: process.arena.count - offset)
        let job = Job(
            file: process.fileNumber, fileCount: file.count, format: codec, operation: operation,
            limits: limits, output: output)
        try process.send(.perform(job))
        var reply = try process.reply(within: limit)
        if case .needsRoom(let count) = reply {
            guard count > output.count, count <= largestCount else {
                throw violation("it needs \(count) bytes for a result")
            }
            try process.arena.grow(to: offset + count)
            output.count = count
            do throws(DecoderFault) {
                try process.send(.deliver(output))
            } catch {
                throw .failure(.crashed(signal: 0))
            }
            reply = try process.reply(within: limit)
        }
        return try result(of: reply, in: output, process.arena)
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
        case .header:
            let stated = try ImageHeader(payload: bytes, limits: limits)
            guard header == nil || header == stated else {
                throw ProtocolViolation("a file has two headers")
            }
            return .header(stated)
        case .frames:
            guard bytes.count > 0 else { return .frames(nil) }
            let facts = try FramesFacts(payload: bytes, limits: limits, fileCount: file.count)
            guard let header, facts.durations.count <= header.frameCount else {
                throw ProtocolViolation("an animation has more frames than its header")
            }
            return .frames(facts)
        case .metadata: return .metadata(try ImageMetadataBlocks(payload: bytes))
        default: return .file(Data(bytes))
        }
    }

    /// Checks the shape before memory is taken, and copies the rows once.
    private func pixels(
        _ shape: PixelShape, in output: OutputArea, _ arena: Arena
    ) throws(DecoderFault) -> PixelBuffer {
        guard shape.byteCount <= output.count else { throw violation("the pixels are outside of the arena") }
        guard shape.size.area <= limits.maximumPixels, shape.byteCount <= largestCount else {
            throw violation("the pixels exceed the limits or the header")
        }
        guard let bound, bound.allows(shape.size) else {
            if case .frame = operation { throw .codec(.corrupt("a frame has another size")) }
            throw violation("the pixels have another size than the header or the target")
        }
        var fault: DecoderFault?
        do throws(ImageCodecError) {
            return try PixelBuffer.decoding(shape.size, format: shape.format, extent: shape.extent) {
                rows, bytesPerRow throws(ImageCodecError) in
                guard bytesPerRow * shape.size.height == shape.byteCount else { throw .emptyImage }
                do throws(DecoderFault) {
                    try arena.read(
                        into: UnsafeMutableRawBufferPointer(start: rows, count: shape.byteCount),
                        at: output.offset)
                } catch {
                    fault = error
                    throw .emptyImage
                }
            }
        } catch {
            throw fault ?? .codec(error)
        }
    }
}

// MARK: Sizes

extension Exchange {
    private var givesPixels: Bool {
        switch operation {
        case .decode, .frame: true
        default: false
        }
    }

    private var givesBytes: Bool {
        switch operation {
        case .header, .frames, .metadata, .replaceMetadata: true
        default: false
        }
    }

    /// The room that a result usually needs.
    private var usualCount: Int {
        switch operation {
        case .decode(.exactly, _): largestCount
        default: 64 << 10
        }
    }

    /// The most bytes of the pixels.
    private var pixelBytes: Int {
        guard let header, let bound else { return 0 }
        return bound.byteCount(of: header)
    }

    /// More bytes than this are a violation.
    private var largestCount: Int {
        let timing = 1_024 + 8 * limits.maximumFrames
        return switch operation {
        case .decode, .frame: min(pixelBytes, limits.maximumFrameBytes)
        case .header: timing
        case .frames: timing + file.count
        case .metadata: ImageMetadataBlocks.maximumBytes + 1_024
        case .replaceMetadata: file.count + extra.count + (1 << 20)
        case .memory, .endsEarly: 0
        }
    }
}

extension ImageLimits {
    /// The limits of the current context or of the process.
    static var current: ImageLimits {
        ImageLimits(
            maximumPixels: maximumPixels, maximumFrames: maximumFrames,
            maximumAnimationPixels: maximumAnimationPixels, maximumFrameBytes: maximumFrameBytes,
            maximumMetadataBytes: maximumMetadataBytes)
    }
}
