package import Foundation
package import KingfisherImage

/// What a decoder tells about the frames of an animation.
package struct FramesDescription: Hashable, Sendable {
    package var loopCount: Int
    package var durations: [TimeInterval]
    /// The file with exactly these frames; nil for the file of the job.
    package var file: Data?
}

extension FramesDescription {
    package var payload: [UInt8] {
        var writer = MessageWriter()
        writer.put(AnimationTiming(durations: durations, loopCount: loopCount))
        writer.put(file != nil)
        writer.put(file ?? Data())
        return writer.bytes
    }

    /// A file of more bytes than the job's file is a violation.
    package init(
        payload: UnsafeRawBufferPointer, limits: ImageLimits, fileCount: Int
    ) throws(ProtocolViolation) {
        var reader = MessageReader(payload)
        let timing = try reader.timing(limits)
        guard !timing.durations.isEmpty else { throw ProtocolViolation("an animation has no frames") }
        let (isOther, file) = (try reader.flag(), try reader.block(upTo: fileCount))
        try reader.finish()
        self.init(
            loopCount: timing.loopCount, durations: timing.durations, file: isOther ? Data(file) : nil)
    }
}

/// What a decoder states about a file that it has opened.
package struct FileDescription: Hashable, Sendable {
    package var header: ImageHeader
    /// Asked for files with `acceptsPartialImages` only.
    package var endsEarly: Bool
    /// The estimate for `DecodingTarget.full`.
    package var memory: Int
}

extension FileDescription {
    package var payload: [UInt8] {
        var writer = MessageWriter()
        writer.put(header)
        writer.put(endsEarly)
        writer.put(Int64(memory))
        return writer.bytes
    }

    /// A header with sides that are not positive is a violation; sizes are compared with `limits` by the
    /// caller.
    package init(payload: UnsafeRawBufferPointer, limits: ImageLimits) throws(ProtocolViolation) {
        var reader = MessageReader(payload)
        self.init(header: try reader.header(limits), endsEarly: try reader.flag(), memory: try reader.int())
        try reader.finish()
    }
}

extension ImageMetadataBlocks {
    package var payload: [UInt8] {
        var writer = MessageWriter()
        for block in [exif, xmp, extendedXMP, iptc, profile] {
            writer.put(block != nil)
            writer.put(block ?? Data())
        }
        writer.put(codePoints != nil)
        if let codePoints {
            for point in [codePoints.primaries, codePoints.transfer, codePoints.matrix] {
                writer.put(Int64(point))
            }
            writer.put(codePoints.isFullRange)
        }
        writer.put(density != nil)
        if let density {
            writer.put(density.x)
            writer.put(density.y)
        }
        writer.put(channels != nil)
        writer.put(Int64(channels ?? 0))
        writer.put(hasGainMap)
        writer.put(isComplete)
        return writer.bytes
    }

    /// More than `maximumBytes` bytes in all blocks are a violation.
    package init(payload: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        self.init()
        var reader = MessageReader(payload)
        for field in [\ImageMetadataBlocks.exif, \.xmp, \.extendedXMP, \.iptc, \.profile] {
            let isPresent = try reader.flag()
            let block = try reader.block(upTo: Self.maximumBytes - byteCount)
            self[keyPath: field] = isPresent ? Data(block) : nil
        }
        if try reader.flag() {
            codePoints = ImageMetadata.CodePoints(
                primaries: try reader.count(upTo: 65_535), transfer: try reader.count(upTo: 65_535),
                matrix: try reader.count(upTo: 65_535), isFullRange: try reader.flag())
        }
        if try reader.flag() {
            density = ImageMetadata.PixelDensity(x: try reader.double(), y: try reader.double())
        }
        let hasChannels = try reader.flag()
        let count = try reader.count(upTo: 64)
        channels = hasChannels ? count : nil
        hasGainMap = try reader.flag()
        isComplete = try reader.flag()
        try reader.finish()
    }
}

extension MessageWriter {
    fileprivate mutating func put(_ header: ImageHeader) {
        put(header.size)
        put(UInt8(header.orientation.rawValue))
        put(header.hasAlpha)
        put(Int64(header.bitsPerComponent))
        put(header.isLossless)
        put(header.scalableSize != nil)
        if let size = header.scalableSize { put(size) }
        put(header.timing != nil)
        if let timing = header.timing { put(timing) }
    }

    fileprivate mutating func put(_ timing: AnimationTiming) {
        put(Int64(timing.loopCount))
        put(UInt64(timing.durations.count))
        for duration in timing.durations { put(duration) }
    }
}

extension MessageReader {
    fileprivate mutating func header(_ limits: ImageLimits) throws(ProtocolViolation) -> ImageHeader {
        let size = try size()
        guard !size.isEmpty, size.area < .max else { throw ProtocolViolation("the image has no size") }
        var header = ImageHeader(size: size)
        guard let orientation = Image.Orientation(rawValue: Int(try number(UInt8.self))) else {
            throw ProtocolViolation("the orientation is unknown")
        }
        header.orientation = orientation
        header.hasAlpha = try flag()
        header.bitsPerComponent = try count(upTo: 64)
        header.isLossless = try flag()
        header.scalableSize = try flag() ? try self.size() : nil
        guard header.scalableSize.map({ !$0.isEmpty && $0.area < .max }) ?? true else {
            throw ProtocolViolation("the image scales to no size")
        }
        header.timing = try flag() ? try timing(limits) : nil
        return header
    }

    /// The timing of at most `ImageLimits.maximumFrames`.
    fileprivate mutating func timing(_ limits: ImageLimits) throws(ProtocolViolation) -> AnimationTiming {
        let loopCount = try count(upTo: Int(UInt32.max))
        let frames = try count(upTo: limits.maximumFrames)
        var durations: [TimeInterval] = []
        for _ in 0..<frames {
            let duration = try double()
            guard duration.isFinite, duration >= 0 else { throw ProtocolViolation("a duration is invalid") }
            durations.append(duration)
        }
        return AnimationTiming(durations: durations, loopCount: loopCount)
    }
}
