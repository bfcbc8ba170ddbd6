import CAVIF
public import Foundation
import Glibc
public import KingfisherCodecSupport
import KingfisherISOBoxes
import Synchronization

/// Decodes a still AVIF while its bytes arrive, to show the layers of a progressive file.
///
///     let decoder = AVIFIncrementalDecoder()
///     for try await chunk in chunks {
///         try decoder.append(chunk)
///         if let image = try decoder.image() { imageView.image = Image(pixels: image) }
///     }
///     guard decoder.isFinished else { throw ImageCodecError.truncated }
///
/// A file without layers has one image, when all of it has arrived. Sequences are `unsupported`. Works on the
/// caller's thread; safe from any thread, calls are serialized.
public final class AVIFIncrementalDecoder: Sendable {
    private let stream = Mutex(AVIFStream())

    /// Creates a decoder without data.
    public init() {}

    /// Appends the next bytes of the file, and decodes the layers that are complete.
    ///
    /// Throws as soon as the bytes cannot become an image (`corrupt`, `tooLarge` before memory is allocated,
    /// `unsupported`), and the same error on every later call.
    public func append(_ data: Data) throws(ImageCodecError) {
        try stream.withLock { stream throws(ImageCodecError) in try stream.append(data) }
    }

    /// The image's header; nil until it has arrived.
    public var header: ImageHeader? { stream.withLock { $0.decoder?.info.header } }

    /// The number of decoded layers.
    public var decodedLayers: Int { stream.withLock(\.decodedLayers) }

    /// Whether the last layer has been decoded.
    public var isFinished: Bool { stream.withLock(\.isFinished) }

    /// The latest layer at full size, upright and in sRGB; nil before the first one.
    public func image() throws(ImageCodecError) -> PixelBuffer? {
        try stream.withLock { stream throws(ImageCodecError) in try stream.image() }
    }
}

private final class AVIFStream {
    private(set) var decoder: AVIFFrames?
    private(set) var decodedLayers = 0
    private let arrivals = Arrivals()
    /// libavif's decoder before the structure has arrived.
    private var parser: UnsafeMutablePointer<avifDecoder>?
    private var avif: kf_avif_functions?
    private var failure: ImageCodecError?

    deinit {
        // libavif looks at the reader when it ends.
        decoder = nil
        if let parser { avif?.avifDecoderDestroy(parser) }
    }

    var isFinished: Bool { decoder.map { decodedLayers == $0.layerCount } ?? false }

    func append(_ data: Data) throws(ImageCodecError) {
        if let failure { throw failure }
        if isFinished { return }
        do throws(ImageCodecError) {
            try arrivals.append(data)
            try advance()
        } catch {
            failure = error
            decoder = nil
            throw error
        }
    }

    private func advance() throws(ImageCodecError) {
        guard arrivals.reader.count >= 12 else { return }
        if decoder == nil { try parse() }
        guard let decoder else { return }
        while decodedLayers < decoder.layerCount, try decoder.decodeNextLayer() { decodedLayers += 1 }
    }

    private func parse() throws(ImageCodecError) {
        let reader = arrivals.reader
        if parser == nil {
            guard let ftyp = ISOBox(at: 0, in: reader), ftyp.has("ftyp") else {
                throw .corrupt("no AVIF signature")
            }
            guard let end = ftyp.end, end <= reader.count else { return }
            guard ISOFile.isAVIF(reader) else { throw .corrupt("no AVIF signature") }
            let avif = try AVIFLibrary.functions
            guard let created = avif.avifDecoderCreate() else { throw .outOfMemory }
            AVIFFrames.configure(created, reader.limits)
            created.pointee.allowProgressive = AVIF_TRUE
            avif.avifDecoderSetIO(created, arrivals.io)
            (parser, self.avif) = (created, avif)
        }
        guard let parser, let avif else { return }
        let result = avif.avifDecoderParse(parser)
        if result == AVIF_RESULT_WAITING_ON_IO { return }
        self.parser = nil
        let decoder = try AVIFFrames(adopting: parser, of: avif, after: result, of: reader)
        guard decoder.info.header.timing == nil else {
            throw .unsupported("decoding an animation while it arrives")
        }
        try decoder.info.checkMemory(for: decoder.info.header.displaySize, reader.limits)
        self.decoder = decoder
    }

    func image() throws(ImageCodecError) -> PixelBuffer? {
        if let failure { throw failure }
        guard let decoder, decodedLayers > 0 else { return nil }
        return try decoder.currentFrame().pixels(shrunkTo: decoder.info.header.displaySize).finished()
    }
}

/// The bytes that have arrived, as libavif reads them.
private final class Arrivals {
    let io = UnsafeMutablePointer<avifIO>.allocate(capacity: 1)
    private var bytes: UnsafeMutableRawPointer?
    private var (count, capacity) = (0, 0)

    init() {
        io.initialize(to: avifIO())
        // Not persistent: libavif copies what it needs after a read, because the bytes move.
        io.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        // libavif takes memory of the length that an item declares before its bytes have arrived.
        io.pointee.sizeHint = UInt64(ImageLimits.current.maximumFrameBytes)
        io.pointee.read = { io, flags, offset, size, output in
            guard let io, let data = io.pointee.data, let output, flags == 0 else {
                return AVIF_RESULT_IO_ERROR
            }
            let arrivals = Unmanaged<Arrivals>.fromOpaque(data).takeUnretainedValue()
            return arrivals.read(offset, size, &output.pointee)
        }
    }

    deinit {
        io.deallocate()
        free(bytes)
    }

    var reader: ByteReader { ByteReader(UnsafeRawBufferPointer(start: bytes, count: count)) }

    func append(_ data: Data) throws(ImageCodecError) {
        if count + data.count > capacity {
            capacity = max(2 * capacity, count + data.count)
            guard let grown = realloc(bytes, capacity) else { throw .outOfMemory }
            bytes = grown
        }
        guard let bytes, !data.isEmpty else { return }
        data.withUnsafeBytes { new in
            if let start = new.baseAddress { (bytes + count).copyMemory(from: start, byteCount: new.count) }
        }
        count += data.count
    }

    private func read(_ offset: UInt64, _ size: Int, _ output: inout avifROData) -> avifResult {
        guard let start = Int(exactly: offset), start <= count, size <= count - start, let bytes else {
            return AVIF_RESULT_WAITING_ON_IO
        }
        output.data = UnsafePointer((bytes + start).assumingMemoryBound(to: UInt8.self))
        output.size = size
        return AVIF_RESULT_OK
    }
}
