import Foundation
package import KingfisherImage

/// The work of a decoder: jobs in, replies out; results are stored in the arena.
///
/// It trusts its parent, but checks every area of a job.
package final class WorkerSession {
    private enum Outcome {
        case number(Int)
        case bytes([UInt8])
        case pixels(PixelBuffer)
    }

    private let codecs: CodecRegistry
    private let arena: UnsafeMutableRawBufferPointer
    /// A result that found too little room.
    private var pending: Outcome?
    private var fileNumber: UInt64?
    /// The decoder of the file's animation.
    private var frames: (any ImageFrameSource)?

    /// `arena` must be valid as long as the session.
    package init(codecs: [any ImageCodec], arena: UnsafeMutableRawBufferPointer) {
        self.codecs = CodecRegistry(codecs)
        self.arena = arena
    }

    package func reply(to request: WorkerRequest) -> WorkerReply {
        switch request {
        case .perform(let job):
            pending = nil
            do throws(ImageCodecError) {
                return store(try perform(job), in: job.output)
            } catch {
                return .failure(error)
            }
        case .deliver(let area):
            guard let outcome = pending else { return .failure(.corrupt("no result to deliver")) }
            pending = nil
            return store(outcome, in: area)
        }
    }

    // MARK: Jobs

    private func perform(_ job: Job) throws(ImageCodecError) -> Outcome {
        guard job.fileCount <= arena.count else { throw .corrupt("the file is outside of the arena") }
        if fileNumber != job.file { frames = nil }
        fileNumber = job.file
        guard let codec = codecs.codec(for: ImageFormat(name: job.format)) else { throw .unknownFormat }
        let file = bytes(0, job.fileCount)
        let context = DecodingContext(codecs: codecs, limits: job.limits, usesIdleCores: false)
        return try context.run { () throws(ImageCodecError) in try perform(job, codec, file) }
    }

    private func perform(
        _ job: Job, _ codec: any ImageCodec, _ file: Data
    ) throws(ImageCodecError) -> Outcome {
        switch job.operation {
        case .header(let acceptsPart):
            return .bytes(try codec.header(of: file, acceptsPartialImages: acceptsPart).payload)
        case .memory(let target):
            return .number(try codec.decodingMemory(of: file, target: target))
        case .endsEarly: return .number(codec.endsEarly(file) ? 1 : 0)
        case .decode(let target, let acceptsPart):
            return .pixels(try decode(file, codec, target, acceptsPart))
        case .frames(let acceptsPart): return .bytes(try openFrames(of: file, codec, acceptsPart))
        case .frame(let index, let size):
            if frames == nil { frames = try codec.frameSource(for: file) }
            guard let frame = frames?.frame(at: index, maxSize: size) else {
                throw .corrupt("frame \(index) cannot be decoded")
            }
            return .pixels(frame)
        case .metadata: return .bytes(try codec.metadataBlocks(of: file).payload)
        case .replaceMetadata(let count):
            let blocks = try blocks(after: job.fileCount, count: count)
            return .bytes([UInt8](try codec.replacingMetadata(of: file, with: blocks)))
        }
    }

    private func decode(
        _ file: Data, _ codec: any ImageCodec, _ target: DecodingTarget, _ acceptsPart: Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        switch target {
        case .full: try codec.decode(file, minimumSize: nil, acceptsPartialImages: acceptsPart)
        case .atLeast(let size): try codec.decode(file, minimumSize: size, acceptsPartialImages: acceptsPart)
        case .exactly(let size): try codec.decode(file, shrunkTo: size, acceptsPartialImages: acceptsPart)
        }
    }

    /// Nothing for a still.
    private func openFrames(
        of file: Data, _ codec: any ImageCodec, _ acceptsPart: Bool
    ) throws(ImageCodecError) -> [UInt8] {
        guard let source = try codec.frameSource(for: file, acceptsPartialImages: acceptsPart) else {
            return []
        }
        let isSame = source.data.map { $0.count == file.count } ?? true
        // Frames of a file that is truncated are decoded from the file that has only complete ones.
        if isSame { frames = source }
        return FramesFacts(
            loopCount: source.loopCount, durations: (0..<source.frameCount).map { source.duration(at: $0) },
            file: isSame ? nil : source.data
        ).payload
    }

    private func blocks(after offset: Int, count: Int) throws(ImageCodecError) -> ImageMetadataBlocks {
        guard count <= arena.count - offset else { throw .corrupt("the blocks are outside of the arena") }
        do throws(ProtocolViolation) {
            return try ImageMetadataBlocks(
                payload: UnsafeRawBufferPointer(rebasing: arena[offset..<offset + count]))
        } catch {
            throw .corrupt(error.detail)
        }
    }

    /// A part of the arena, without a copy.
    private func bytes(_ offset: Int, _ count: Int) -> Data {
        guard count > 0, let start = arena.baseAddress else { return Data() }
        return Data(bytesNoCopy: start + offset, count: count, deallocator: .none)
    }

    // MARK: Results

    private func store(_ outcome: Outcome, in area: OutputArea) -> WorkerReply {
        switch outcome {
        case .number(let number): return .number(number)
        case .bytes(let bytes):
            guard bytes.count <= area.count else { return keep(outcome, needing: bytes.count) }
            guard let room = room(area, bytes.count) else { return Self.outside }
            room.copyBytes(from: bytes)
            return .bytes(count: bytes.count)
        case .pixels(let pixels):
            let shape = PixelShape(size: pixels.size, format: pixels.format, extent: pixels.extent)
            guard shape.byteCount <= area.count else { return keep(outcome, needing: shape.byteCount) }
            guard let room = room(area, shape.byteCount) else { return Self.outside }
            pixels.copyRows(to: room)
            return .pixels(shape)
        }
    }

    private static let outside = WorkerReply.failure(.corrupt("the result is outside of the arena"))

    private func keep(_ outcome: Outcome, needing count: Int) -> WorkerReply {
        pending = outcome
        return .needsRoom(count: count)
    }

    private func room(_ area: OutputArea, _ count: Int) -> UnsafeMutableRawBufferPointer? {
        guard area.offset <= arena.count, count <= arena.count - area.offset else { return nil }
        return UnsafeMutableRawBufferPointer(rebasing: arena[area.offset..<area.offset + count])
    }
}

extension PixelBuffer {
    /// Copies all rows with the distance of `PixelShape`. `room` has exactly as many bytes.
    fileprivate func copyRows(to room: UnsafeMutableRawBufferPointer) {
        let stride = room.count / height
        withUnsafeBytes { rows in
            if stride == bytesPerRow { return room.copyMemory(from: rows) }
            for row in 0..<height {
                let start = row * bytesPerRow
                let pixels = rows[start..<start + width * format.bytesPerPixel]
                UnsafeMutableRawBufferPointer(rebasing: room[(row * stride)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: pixels))
            }
        }
    }
}
