import CAVIF
import KingfisherCodecSupport
import KingfisherISOBoxes

/// An opaque still for a small target, decoded by dav1d without the filters at the end.
///
/// libavif cannot turn them off. Intra prediction takes samples from before these filters, so nothing but
/// what shrinking averages away differs (decision 112).
struct AVIFUnfilteredFrame {
    /// The bitstream.
    private let content: ByteReader
    private let size: PixelSize
    /// The properties that choose layers (AV1 Image File Format, 2.3).
    private static let layers: [StaticString] = ["a1op", "a1lx", "lsel"]

    /// Nil for files that libavif must decode: grids, layers, sequences, alpha and targets of more than a
    /// quarter of a side.
    init?(of reader: ByteReader, _ info: AVIFInfo, shrunkTo target: PixelSize) {
        let shown = info.header.displaySize
        guard info.format.isOpaque, info.header.timing == nil, 4 * target.width <= shown.width,
            4 * target.height <= shown.height, let items = ISOItems(reader),
            items.types.contains(where: { $0.item == items.primary && $0.type.has("av01", at: 0) }),
            Self.layers.allSatisfy({ items.properties($0).isEmpty }),
            let content = items.content(of: items.primary)
        else { return nil }
        (self.content, size) = (content, info.crop.stored)
    }

    /// Lends the planes to `image`, whose container libavif has read, while `body` runs; nil if dav1d is
    /// missing or does not decode what the container declares.
    func decode<Result>(
        for image: UnsafeMutablePointer<avifImage>, threads: Int,
        _ body: () throws(ImageCodecError) -> Result
    ) throws(ImageCodecError) -> Result? {
        var frame = kf_av1_frame()
        let bytes = content.bytes
        let isDecoded = kf_av1_decode(
            bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, UInt32(clamping: size.area),
            Int32(threads), &frame)
        guard isDecoded != 0 else { return nil }
        defer { kf_av1_release(&frame) }
        guard PixelSize(width: Int(frame.width), height: Int(frame.height)) == size,
            frame.depth == image.pointee.depth, frame.format == image.pointee.yuvFormat,
            image.pointee.yuvPlanes.0 == nil
        else { return nil }
        image.pointee.yuvPlanes = frame.planes
        image.pointee.yuvRowBytes = frame.strides
        image.pointee.imageOwnsYUVPlanes = AVIF_FALSE
        defer {
            image.pointee.yuvPlanes = (nil, nil, nil)
            image.pointee.yuvRowBytes = (0, 0, 0)
        }
        return try body()
    }
}
