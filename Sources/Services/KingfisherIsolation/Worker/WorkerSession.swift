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
    private let video: (any VideoDecoder)?
    private let exchange: Exchanging
    /// A result that found too little room.
    private var pending: Outcome?
    /// The file of the last job, and its decoder.
    private var opened: (file: JobFile, decoder: any ImageDecoder)?
    /// The frames of the opened file.
    private var frames: (any ImageFrameSource)?

    /// Sends a message within a job, and waits for the answer; nil if the program has ended.
    package typealias Exchanging = (WorkerReply) -> WorkerRequest?

    /// `arena` must be valid as long as the session.
    package init(
        codecs: [any ImageCodec], arena: UnsafeMutableRawBufferPointer, video: (any VideoDecoder)? = nil,
        exchange: @escaping Exchanging = { _ in nil }
    ) {
        self.codecs = CodecRegistry(codecs)
        (self.arena, self.video, self.exchange) = (arena, video, exchange)
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
        case .decodeFrame(let job):
            pending = nil
            do throws(ImageCodecError) {
                return store(.pixels(try frame(job)), in: job.output)
            } catch {
                return .failure(error)
            }
        case .bytes: return .failure(.corrupt("no bytes were requested"))
        }
    }

    private func frame(_ job: VideoJob) throws(ImageCodecError) -> PixelBuffer {
        guard let video, let window = room(job.window, job.window.count), !window.isEmpty else {
            throw .unsupported("a decoder without videos")
        }
        let bytes = RequestedBytes(window, count: job.count, exchange)
        let context = DecodingContext(codecs: codecs, limits: job.limits, usesIdleCores: false)
        return try context.run { () throws(ImageCodecError) in try video.frame(job, from: bytes) }
    }

    // MARK: Jobs

    private func perform(_ job: Job) throws(ImageCodecError) -> Outcome {
        let file = job.file
        guard file.count <= arena.count else { throw .corrupt("the file is outside of the arena") }
        if opened?.file != file { (opened, frames) = (nil, nil) }
        guard var codec = codecs.codec(for: ImageFormat(name: file.format)) else { throw .unknownFormat }
        if let isolatable = codec as? any CatalogCodec { codec = isolatable.with(variant: file.variant) }
        let context = DecodingContext(codecs: codecs, limits: file.limits, usesIdleCores: false)
        return try context.run { [codec] () throws(ImageCodecError) in try perform(job, by: codec) }
    }

    private func perform(_ job: Job, by codec: any ImageCodec) throws(ImageCodecError) -> Outcome {
        let file = job.file
        let decoder = { () throws(ImageCodecError) in try self.decoder(of: file, by: codec) }
        switch job.operation {
        case .open: return .bytes(description(of: try decoder(), file).payload)
        case .memory(let target): return .number(try decoder().memory(for: target))
        case .decode(let target): return .pixels(try decoder().decode(target))
        case .frames: return .bytes(try openFrames(by: decoder(), fileCount: file.count))
        case .frame(let index, let size):
            if frames == nil { frames = try decoder().frames() }
            guard let frame = frames?.frame(at: index, maxSize: size) else {
                throw .corrupt("frame \(index) cannot be decoded")
            }
            return .pixels(frame)
        case .metadata: return .bytes(try decoder().metadata().payload)
        case .replaceMetadata(let count):
            let blocks = try blocks(after: file.count, count: count)
            return .bytes([UInt8](try codec.replacingMetadata(of: bytes(0, file.count), with: blocks)))
        }
    }

    /// Opens a file once for consecutive jobs.
    private func decoder(
        of file: JobFile, by codec: any ImageCodec
    ) throws(ImageCodecError) -> any ImageDecoder {
        if let opened { return opened.decoder }
        let decoder = try codec.open(
            EncodedFile(
                bytes(0, file.count), limits: file.limits, acceptsPartialImages: file.acceptsPartialImages))
        opened = (file, decoder)
        return decoder
    }

    private func description(of decoder: any ImageDecoder, _ file: JobFile) -> FileDescription {
        FileDescription(
            header: decoder.header, endsEarly: file.acceptsPartialImages && decoder.endsEarly,
            memory: decoder.memory(for: .full))
    }

    /// Nothing for a still.
    private func openFrames(
        by decoder: any ImageDecoder, fileCount: Int
    ) throws(ImageCodecError) -> [UInt8] {
        guard let source = try decoder.frames() else { return [] }
        let isSame = source.data.map { $0.count == fileCount } ?? true
        // Frames of a file that is truncated are decoded from the file that has only complete ones.
        if isSame { frames = source }
        return FramesDescription(
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

/// The bytes of a video, which the program stores in the window.
private final class RequestedBytes: VideoBytes {
    private let window: UnsafeMutableRawBufferPointer
    private let count: Int
    private let exchange: WorkerSession.Exchanging

    init(_ window: UnsafeMutableRawBufferPointer, count: Int, _ exchange: @escaping WorkerSession.Exchanging)
    {
        (self.window, self.count, self.exchange) = (window, count, exchange)
    }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
        let wanted = min(bytes.count, window.count, count - offset)
        guard wanted > 0, case .bytes(let stored)? = exchange(.needsBytes(offset: offset, count: wanted)),
            1...wanted ~= stored
        else { return nil }
        bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: window[..<stored]))
        return stored
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
