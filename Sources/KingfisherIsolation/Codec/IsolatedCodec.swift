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
        let operation = Operation.header(acceptsPartialImages: acceptsPartialImages)
        let header = try StatedHeaders.header(
            of: data, by: format, acceptsPartialImages: acceptsPartialImages
        ) { other throws(ImageCodecError) in
            let result = try exchange(data, operation, stated: other)
            guard case .header(let header) = result else { throw .emptyImage }
            return header
        }
        // A file that is decoded at any size is limited by the target.
        if header.scalableSize == nil { try ImageLimits.check(header.size) }
        return header
    }

    /// The decoder's estimate, but at least the pixels that it may return for this header and target, and at
    /// most the limit.
    func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        let header = try header(of: data, acceptsPartialImages: true)
        let answer = try number(data, .memory(target: target))
        let pixels = PixelBound.exactly(target ?? header.displaySize).byteCount(of: header)
        return min(max(answer, pixels), ImageLimits.maximumFrameBytes)
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
        let result = try exchange(file, .replaceMetadata(count: payload.count), extra: payload)
        guard case .file(let changed) = result else { throw .emptyImage }
        return changed
    }

    // MARK: Decoding

    func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        let header = try header(of: data, acceptsPartialImages: acceptsPartialImages)
        let target = minimumSize.map { DecodingTarget.atLeast($0) } ?? .full
        let bound = minimumSize == nil ? PixelBound.exactly(header.displaySize) : .atMost(header.largestSize)
        return DecodedPixels(
            try pixels(data, .decode(target, acceptsPartialImages: acceptsPartialImages), bound, header))
    }

    func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try ImageLimits.check(target)
        let header = try header(of: data, acceptsPartialImages: acceptsPartialImages)
        let operation = Operation.decode(.exactly(target), acceptsPartialImages: acceptsPartialImages)
        return DecodedPixels(try pixels(data, operation, .exactly(target), header))
    }

    func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? {
        try frameSource(for: data, acceptsPartialImages: false)
    }

    func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)? {
        let header = try header(of: data, acceptsPartialImages: acceptsPartialImages)
        let result = try exchange(
            data, .frames(acceptsPartialImages: acceptsPartialImages), stated: header)
        guard case .frames(let facts?) = result else { return nil }
        try ImageLimits.check(frames: facts.durations.count, of: header.displaySize)
        let source = IsolatedFrameSource(codec: self, facts: facts, data: facts.file ?? data, header: header)
        try source.decodeFirst()
        return source
    }

    // MARK: Exchanges; each operation has one kind of result

    private func number(_ data: Data, _ operation: Operation) throws(ImageCodecError) -> Int {
        guard case .number(let number) = try exchange(data, operation) else { throw .emptyImage }
        return number
    }

    func pixels(
        _ data: Data, _ operation: Operation, _ bound: PixelBound, _ header: ImageHeader
    ) throws(ImageCodecError) -> PixelBuffer {
        guard case .pixels(let pixels) = try exchange(data, operation, stated: header, bound) else {
            throw .emptyImage
        }
        return pixels
    }

    private func exchange(
        _ data: Data, _ operation: Operation, stated header: ImageHeader? = nil, _ bound: PixelBound? = nil,
        extra: [UInt8] = []
    ) throws(ImageCodecError) -> Exchange.Result {
        try Exchange(
            codec: format.name, access: access, file: data, operation: operation, extra: extra,
            header: header, bound: bound
        ).run(in: pool)
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
