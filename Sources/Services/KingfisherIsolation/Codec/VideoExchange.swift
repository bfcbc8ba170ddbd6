package import KingfisherImage

/// Decodes a frame of a video in a decoder process, and gives it the bytes that it asks for.
package struct VideoExchange {
    /// Reads bytes of the file. At the first error the decoder gets no further bytes.
    package typealias Reading = (_ range: Range<Int>) throws -> [UInt8]

    private let job: VideoJob
    private let pool: DecoderPool
    private let byteLimit: Int

    private static let window = OutputArea(offset: 0, count: VideoJob.windowCount)
    /// FFmpeg reads 64 KiB at once, and less after it has jumped.
    private static let maximumReads = 20_000

    /// - Parameters:
    ///   - count: The bytes of the file.
    ///   - byteLimit: The most bytes that are read for the frame.
    package init(
        count: Int, at seconds: Double, isKeyframe: Bool, maximumSize: PixelSize?, limits: ImageLimits,
        byteLimit: Int, pool: DecoderPool
    ) {
        job = VideoJob(
            count: count, seconds: seconds, isKeyframe: isKeyframe, maximumSize: maximumSize, limits: limits,
            window: Self.window, output: OutputArea(offset: Self.window.count, count: 0))
        (self.pool, self.byteLimit) = (pool, byteLimit)
    }

    /// The frame, upright, in sRGB. Waits on the caller's thread. Throws what `reading` has thrown, or an
    /// `ImageCodecError`.
    package func frame(reading: Reading) throws -> PixelBuffer {
        // What has refused bytes. The decoder is not interrupted: it may have a frame nevertheless.
        var refusal: (any Error)?
        var bytes = 0
        let result = Result { () throws(ImageCodecError) in
            try pool.group(.video).borrow(nil) { process throws(DecoderFault) in
                try frame(in: process) { range in
                    guard refusal == nil else { return nil }
                    bytes += range.count
                    do {
                        guard bytes <= byteLimit else {
                            throw ImageCodecError.tooManyBytes(smallest: bytes, limit: byteLimit)
                        }
                        let answer = try reading(range)
                        try process.arena.write(answer, at: Self.window.offset)
                        return answer.count
                    } catch {
                        refusal = (error as? DecoderFault)?.reported ?? error
                    }
                    return nil
                }
            }
        }
        if let refusal { throw refusal }
        return try result.get()
    }

    /// - Parameter fill: Stores bytes in the window, and returns their number, or nil if they are refused.
    private func frame(
        in process: DecoderProcess, fill: (Range<Int>) -> Int?
    ) throws(DecoderFault) -> PixelBuffer {
        var talk = Talk(process, pool.settings)
        var output = job.output
        try process.arena.grow(to: output.offset + (4 << 20))
        output.count = process.arena.count - output.offset
        var sent = job
        sent.output = output
        var request = WorkerRequest.decodeFrame(sent)
        var reads = 0
        while true {
            switch try talk.send(request) {
            case .needsBytes(let offset, let count):
                reads += 1
                guard count > 0, count <= VideoJob.windowCount, offset <= job.count - count else {
                    throw violation("it asked for bytes outside of the file")
                }
                guard reads <= Self.maximumReads else { throw violation("it asked for bytes too often") }
                request = .bytes(count: fill(offset..<offset + count) ?? 0)
            case .needsRoom(let count):
                guard count > output.count, count <= job.limits.maximumFrameBytes else {
                    throw violation("it needs \(count) bytes for a frame")
                }
                try process.arena.grow(to: output.offset + count)
                output.count = count
                request = .deliver(output)
            case .pixels(let shape): return try pixels(shape, output, process.arena)
            case .failure(let error): throw .codec(error)
            case .ready, .number, .bytes: throw violation("a reply does not fit its request")
            }
        }
    }

    private func pixels(
        _ shape: PixelShape, _ output: OutputArea, _ arena: Arena
    ) throws(DecoderFault) -> PixelBuffer {
        let (size, most) = (shape.size, job.maximumSize)
        guard shape.byteCount <= output.count, size.area <= job.limits.maximumPixels,
            size.width <= most?.width ?? size.width, size.height <= most?.height ?? size.height
        else { throw violation("a frame exceeds the limits") }
        return try arena.pixels(shape, at: output.offset)
    }

    private func violation(_ detail: String) -> DecoderFault { .failure(.violatedProtocol(detail)) }
}

/// Messages to a decoder within one operation, whose limits count only the time of the decoder.
private struct Talk {
    private let process: DecoderProcess
    private let cpuLimit: Duration
    private var wallLimit: Duration
    private let cpuAtStart: Duration
    private var isFirst = true

    init(_ process: DecoderProcess, _ settings: DecoderSettings) {
        self.process = process
        (cpuLimit, wallLimit) = (settings.cpuTimeLimit, settings.wallTimeLimit)
        cpuAtStart = process.cpuTime ?? .zero
    }

    mutating func send(_ request: WorkerRequest) throws(DecoderFault) -> WorkerReply {
        do throws(DecoderFault) {
            try process.send(request)
        } catch {
            throw isFirst ? error : .failure(.crashed(signal: 0))
        }
        isFirst = false
        let start = ContinuousClock.now
        let used = process.cpuTime.map { $0 - cpuAtStart } ?? .zero
        let reply = try process.reply(within: TimeLimit(cpu: cpuLimit - used, wall: wallLimit))
        wallLimit -= .now - start
        return reply
    }
}
