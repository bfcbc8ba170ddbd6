package import Foundation
package import KingfisherImage

/// What a decoder does with a file.
package enum Operation: Hashable, Sendable {
    /// The result is `FileDescription`.
    case open
    case memory(DecodingTarget)
    case decode(DecodingTarget)
    /// What `FramesDescription` say about an animation.
    case frames
    case frame(Int, maximumSize: CGSize?)
    case metadata
    /// Replaces the metadata by blocks of `count` bytes that follow the file in the arena.
    case replaceMetadata(count: Int)
}

/// The file of a job, and how it is opened. Jobs with equal files share the worker's decoder.
package struct JobFile: Hashable, Sendable {
    /// The number of the file at the start of the arena; the same number means that its bytes have not
    /// changed.
    package var number: UInt64
    package var count: Int
    /// The name of the file's format.
    package var format: String
    /// The setting of the format's codec, `CatalogCodec.variant`.
    package var variant = 0
    package var acceptsPartialImages = false
    package var limits: ImageLimits
}

/// One piece of work for a decoder.
package struct Job: Hashable, Sendable {
    package var file: JobFile
    package var operation: Operation
    /// Where results are stored in the arena.
    package var output: OutputArea
}

/// A part of the arena for results.
package struct OutputArea: Hashable, Sendable {
    package var offset: Int
    package var count: Int
}

/// A message of a program to its decoder.
package enum WorkerRequest: Hashable, Sendable {
    case perform(Job)
    /// Stores the result of the last job, which found too little room, in this area.
    case deliver(OutputArea)
    case decodeFrame(VideoJob)
    /// The answer to `WorkerReply.needsBytes`: `count` bytes are in the window of the job; 0 if they are
    /// refused.
    case bytes(count: Int)
}

// MARK: Encoding

extension WorkerRequest {
    package var message: [UInt8] {
        var writer = MessageWriter()
        writer.put(Message.version)
        switch self {
        case .perform(let job):
            writer.put(UInt8(0))
            writer.put(job)
        case .deliver(let area):
            writer.put(UInt8(1))
            writer.put(area)
        case .decodeFrame(let job):
            writer.put(UInt8(2))
            writer.put(job)
        case .bytes(let count):
            writer.put(UInt8(3))
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
        case 0: self = .perform(try reader.job())
        case 1: self = .deliver(try reader.output())
        case 2: self = .decodeFrame(try reader.videoJob())
        case 3: self = .bytes(count: try reader.count())
        default: throw ProtocolViolation("it is an unknown request")
        }
        try reader.finish()
    }
}

extension MessageWriter {
    fileprivate mutating func put(_ job: Job) {
        put(job.file)
        put(job.output)
        put(job.operation)
    }

    fileprivate mutating func put(_ job: VideoJob) {
        put(Int64(job.count))
        put(job.seconds)
        put(job.isKeyframe)
        put(job.maximumSize != nil)
        put(job.maximumSize ?? PixelSize(width: 0, height: 0))
        put(job.limits)
        put(job.window)
        put(job.output)
    }

    private mutating func put(_ file: JobFile) {
        put(file.number)
        put(Int64(file.count))
        put(file.format)
        put(Int64(file.variant))
        put(file.acceptsPartialImages)
        put(file.limits)
    }

    fileprivate mutating func put(_ area: OutputArea) {
        put(Int64(area.offset))
        put(Int64(area.count))
    }

    private mutating func put(_ limits: ImageLimits) {
        for limit in [
            limits.maximumPixels, limits.maximumFrames, limits.maximumAnimationPixels,
            limits.maximumFrameBytes, limits.maximumMetadataBytes,
        ] {
            put(Int64(limit))
        }
    }

    package mutating func put(_ size: PixelSize) {
        put(Int64(size.width))
        put(Int64(size.height))
    }

    private mutating func put(_ operation: Operation) {
        switch operation {
        case .open: put(UInt8(0))
        case .memory(let target):
            put(UInt8(1))
            put(target)
        case .decode(let target):
            put(UInt8(2))
            put(target)
        case .frames: put(UInt8(3))
        case .frame(let index, let size):
            put(UInt8(4))
            put(Int64(index))
            put(size != nil)
            put(Double(size?.width ?? 0))
            put(Double(size?.height ?? 0))
        case .metadata: put(UInt8(5))
        case .replaceMetadata(let count):
            put(UInt8(6))
            put(Int64(count))
        }
    }

    private mutating func put(_ target: DecodingTarget) {
        switch target {
        case .full: put(UInt8(0))
        case .atLeast(let size):
            put(UInt8(1))
            put(size)
        case .exactly(let size):
            put(UInt8(2))
            put(size)
        }
    }
}

// MARK: Decoding

extension MessageReader {
    fileprivate mutating func job() throws(ProtocolViolation) -> Job {
        let (file, output) = (try file(), try output())
        return Job(file: file, operation: try operation(), output: output)
    }

    fileprivate mutating func videoJob() throws(ProtocolViolation) -> VideoJob {
        let (count, seconds, isKeyframe) = (try count(), try double(), try flag())
        let (isSmaller, size) = (try flag(), try size())
        return VideoJob(
            count: count, seconds: seconds, isKeyframe: isKeyframe, maximumSize: isSmaller ? size : nil,
            limits: try limits(), window: try output(), output: try output())
    }

    private mutating func file() throws(ProtocolViolation) -> JobFile {
        JobFile(
            number: try number(), count: try count(), format: try text(), variant: try int(),
            acceptsPartialImages: try flag(), limits: try limits())
    }

    fileprivate mutating func output() throws(ProtocolViolation) -> OutputArea {
        let (offset, count) = (try count(), try count())
        guard offset <= .max - count else { throw ProtocolViolation("an area is out of range") }
        return OutputArea(offset: offset, count: count)
    }

    private mutating func limits() throws(ProtocolViolation) -> ImageLimits {
        ImageLimits(
            maximumPixels: try count(), maximumFrames: try count(), maximumAnimationPixels: try count(),
            maximumFrameBytes: try count(), maximumMetadataBytes: try count())
    }

    package mutating func size() throws(ProtocolViolation) -> PixelSize {
        PixelSize(width: try int(), height: try int())
    }

    private mutating func operation() throws(ProtocolViolation) -> Operation {
        switch try number(UInt8.self) {
        case 0: return .open
        case 1: return .memory(try target())
        case 2: return .decode(try target())
        case 3: return .frames
        case 4:
            let (index, isSmall) = (try count(), try flag())
            let size = CGSize(width: try double(), height: try double())
            return .frame(index, maximumSize: isSmall ? size : nil)
        case 5: return .metadata
        case 6: return .replaceMetadata(count: try count())
        default: throw ProtocolViolation("it is an unknown operation")
        }
    }

    private mutating func target() throws(ProtocolViolation) -> DecodingTarget {
        switch try number(UInt8.self) {
        case 0: .full
        case 1: .atLeast(try size())
        case 2: .exactly(try size())
        default: throw ProtocolViolation("it is an unknown target")
        }
    }
}
