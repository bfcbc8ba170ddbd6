package import Foundation
package import KingfisherImage

/// What a decoder does with a file.
package enum Operation: Hashable, Sendable {
    case header(acceptsPartialImages: Bool)
    case memory(target: PixelSize?)
    case endsEarly
    case decode(DecodingTarget, acceptsPartialImages: Bool)
    /// What `FramesFacts` say about an animation.
    case frames(acceptsPartialImages: Bool)
    case frame(Int, maximumSize: CGSize?)
    case metadata
    /// Replaces the metadata by blocks of `count` bytes that follow the file in the arena.
    case replaceMetadata(count: Int)
}

/// How large an image is to be decoded.
package enum DecodingTarget: Hashable, Sendable {
    case full
    case atLeast(PixelSize)
    case exactly(PixelSize)
}

/// One piece of work for a decoder.
package struct Job: Hashable, Sendable {
    /// The number of the file at the start of the arena; the same number means that its bytes have not
    /// changed.
    package var file: UInt64
    package var fileCount: Int
    /// The name of the file's format.
    package var format: String
    package var operation: Operation
    package var limits: ImageLimits
    /// Where results are stored in the arena.
    package var output: OutputArea

    package init(
        file: UInt64, fileCount: Int, format: String, operation: Operation, limits: ImageLimits,
        output: OutputArea
    ) {
        self.file = file
        self.fileCount = fileCount
        self.format = format
        self.operation = operation
        self.limits = limits
        self.output = output
    }
}

/// A part of the arena for results.
package struct OutputArea: Hashable, Sendable {
    package var offset: Int
    package var count: Int

    package init(offset: Int, count: Int) {
        self.offset = offset
        self.count = count
    }
}

/// A message of a program to its decoder.
package enum WorkerRequest: Hashable, Sendable {
    case perform(Job)
    /// Stores the result of the last job, which found too little room, in this area.
    case deliver(OutputArea)
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
        default: throw ProtocolViolation("it is an unknown request")
        }
        try reader.finish()
    }
}

extension MessageWriter {
    fileprivate mutating func put(_ job: Job) {
        put(job.file)
        put(Int64(job.fileCount))
        put(job.format)
        put(job.limits)
        put(job.output)
        put(job.operation)
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
        case .header(let acceptsPart):
            put(UInt8(0))
            put(acceptsPart)
        case .memory(let target):
            put(UInt8(1))
            put(target != nil)
            put(target ?? PixelSize(width: 0, height: 0))
        case .endsEarly: put(UInt8(2))
        case .decode(let target, let acceptsPart):
            put(UInt8(3))
            put(target)
            put(acceptsPart)
        case .frames(let acceptsPart):
            put(UInt8(4))
            put(acceptsPart)
        case .frame(let index, let size):
            put(UInt8(5))
            put(Int64(index))
            put(size != nil)
            put(Double(size?.width ?? 0))
            put(Double(size?.height ?? 0))
        case .metadata: put(UInt8(6))
        case .replaceMetadata(let count):
            put(UInt8(7))
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
        Job(
            file: try number(UInt64.self), fileCount: try count(), format: try text(),
            operation: .endsEarly, limits: try limits(), output: try output()
        ).with(try operation())
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
        case 0: return .header(acceptsPartialImages: try flag())
        case 1:
            let (isSmall, target) = (try flag(), try size())
            return .memory(target: isSmall ? target : nil)
        case 2: return .endsEarly
        case 3: return .decode(try target(), acceptsPartialImages: try flag())
        case 4: return .frames(acceptsPartialImages: try flag())
        case 5:
            let (index, isSmall) = (try count(), try flag())
            let size = CGSize(width: try double(), height: try double())
            return .frame(index, maximumSize: isSmall ? size : nil)
        case 6: return .metadata
        case 7: return .replaceMetadata(count: try count())
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

extension Job {
    fileprivate func with(_ operation: Operation) -> Job {
        var job = self
        job.operation = operation
        return job
    }
}
