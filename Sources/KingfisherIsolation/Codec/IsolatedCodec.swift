import Foundation
import KingfisherImage

/// A codec whose files are read by a decoder process. Signatures are compared and images are encoded in this
/// one.
struct IsolatedCodec: DeferredColorCodec {
    private let base: any ImageCodec
    private let access: DecoderAccess
    private let pool: DecoderPool

    init(_ base: any ImageCodec, access: DecoderAccess = .nothing, pool: DecoderPool) {
        self.base = base
        self.access = access
        self.pool = pool
    }

    var format: ImageFormat { base.format }
    var fileExtensions: [String] { base.fileExtensions }
    var mediaType: String { base.mediaType }
    var keepsFileBytes: Bool { base.keepsFileBytes }
    var capabilities: CodecCapabilities { base.capabilities }
    var version: String { base.version }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { base.matches(bytes) }

    // MARK: Reading

    func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try header(of: data, acceptsPartialImages: false)
    }

    func header(of data: Data, acceptsPartialImages: Bool) throws(ImageCodecError) -> ImageHeader {
        let result = try exchange(data, .header(acceptsPartialImages: acceptsPartialImages))
        guard case .header(let header) = result else { throw .emptyImage }
        // A file that is decoded at any size is limited by the target.
        if header.scalableSize == nil { try ImageLimits.check(header.size) }
        return header
    }

    /// The decoder is not trusted, so the result is at least the number of pixels and at most the limit.
    func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        let answer = try number(data, .memory(target: target))
        return min(max(answer, target.map { $0.area } ?? 0), ImageLimits.maximumFrameBytes)
    }

    func endsEarly(_ data: Data) -> Bool {
        (try? number(data, .endsEarly)) == 1
    }

    func metadataBlocks(of data: Data) throws(ImageCodecError) -> ImageMetadataBlocks {
        guard case .metadata(let blocks) = try exchange(data, .metadata) else { throw .emptyImage }
        return blocks
    }

    func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        let payload = blocks.payload
        let result = try exchange(file, .replaceMetadata(count: payload.count), payload)
        guard case .file(let changed) = result else { throw .emptyImage }
        return changed
    }

    // MARK: Decoding

    func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        let target = minimumSize.map { DecodingTarget.atLeast($0) } ?? .full
        return DecodedPixels(
            try pixels(data, .decode(target, acceptsPartialImages: acceptsPartialImages)))
    }

    func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try ImageLimits.check(target)
        return DecodedPixels(
            try pixels(data, .decode(.exactly(target), acceptsPartialImages: acceptsPartialImages)))
    }

    func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? {
        try frameSource(for: data, acceptsPartialImages: false)
    }

    func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)? {
        let result = try exchange(data, .frames(acceptsPartialImages: acceptsPartialImages))
        guard case .frames(let facts?) = result else { return nil }
        let file = facts.file ?? data
        // The first frame is shown immediately, so its errors belong here.
        let first = try pixels(file, .frame(0, maximumSize: nil))
        try ImageLimits.check(frames: facts.durations.count, of: first.size)
        return IsolatedFrameSource(codec: self, facts: facts, data: file, canvas: first.size, first: first)
    }

    // MARK: Exchanges; each operation has one kind of result

    private func number(_ data: Data, _ operation: Operation) throws(ImageCodecError) -> Int {
        guard case .number(let number) = try exchange(data, operation) else { throw .emptyImage }
        return number
    }

    func pixels(_ data: Data, _ operation: Operation) throws(ImageCodecError) -> PixelBuffer {
        guard case .pixels(let pixels) = try exchange(data, operation) else { throw .emptyImage }
        return pixels
    }

    private func exchange(
        _ data: Data, _ operation: Operation, _ extra: [UInt8] = []
    ) throws(ImageCodecError) -> Exchange.Result {
        try Exchange(codec: format.name, access: access, file: data, operation: operation, extra: extra)
            .run(in: pool)
    }

    // MARK: Encoding

    func encode(_ pixels: PixelBuffer, options: ImageEncodingOptions) throws(ImageCodecError) -> Data {
        try base.encode(pixels, options: options)
    }

    func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try base.encode(frames, options: options)
    }
}
