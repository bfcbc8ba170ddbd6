import Foundation
import KingfisherImage

/// A codec whose files are read by a decoder process. Signatures are compared and images are encoded in this
/// one.
struct IsolatedCodec: ImageCodec {
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

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try IsolatedDecoder(isolated(file))
    }

    func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        let payload = blocks.payload
        let exchange = Exchange(
            .replaceMetadata(count: payload.count), isolated(EncodedFile(file)), extra: payload)
        guard case .file(let changed) = try exchange.run() else { throw .emptyImage }
        return changed
    }

    // Gain maps are found by Swift code that checks every offset, so in this process.
    func gainMap(in file: Data) -> GainMap? { base.gainMap(in: file) }

    func adding(_ gainMap: GainMap, to file: Data) throws(ImageCodecError) -> Data {
        try base.adding(gainMap, to: file)
    }

    private func isolated(_ file: EncodedFile) -> IsolatedFile {
        let variant = (base as? any CatalogCodec)?.variant ?? 0
        return IsolatedFile(encoded: file, format: format, variant: variant, access: access, pool: pool)
    }

    func encode(_ pixels: PixelBuffer, options: ImageEncodingOptions) throws(ImageCodecError) -> Data {
        try base.encode(pixels, options: options)
    }

    func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try base.encode(frames, options: options)
    }
}
