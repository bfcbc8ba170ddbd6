import KingfisherCodecSupport

/// An image of an icon that has been opened: a bitmap, or a PNG by the library's PNG codec.
struct ICOImage {
    let entry: ICOEntry
    let decoder: any ImageDecoder

    private static let maximumTriedPixels = 1 << 20

    init(_ entry: ICOEntry, in file: EncodedFile) throws(ImageCodecError) {
        self.entry = entry
        let bytes = file.data.dropFirst(entry.offset).prefix(entry.length)
        // A truncated image is an error even if the file may be truncated.
        let image = EncodedFile(bytes, limits: file.limits)
        switch entry.content {
        case .bitmap(let header): decoder = IconBitmap(header, in: image)
        case .png:
            // Also where a context has no PNG codec or another one.
            guard let codec = CodecRegistry.builtIn.codec(for: .PNG) else { throw .unsupported("PNG") }
            decoder = try codec.open(image)
        case .unusable(let error): throw error
        }
    }

    /// Whether the metadata of a PNG swap its sides.
    var isTurned: Bool { decoder.header.orientation.swapsSides }

    /// Why the image cannot be decoded; nil if it is intact. Of a PNG of more pixels than an icon has, only
    /// the structure is examined.
    var fault: ImageCodecError? {
        if decoder.endsEarly { return .truncated }
        guard case .png = entry.content, entry.size.area <= Self.maximumTriedPixels else { return nil }
        do throws(ImageCodecError) {
            _ = try decoder.decode(.atLeast(PixelSize(width: 1, height: 1)))
            return nil
        } catch {
            return error.isFault ? error : nil
        }
    }
}

extension ImageCodecError {
    /// Whether the bytes of an image are the reason, and not a limit.
    var isFault: Bool {
        switch self {
        case .corrupt, .truncated, .unsupported: true
        default: false
        }
    }
}
