package import Foundation

/// What a file says about itself before its pixels are touched.
package struct ImageHeader: Hashable, Sendable {
    /// The stored size, before `orientation` is applied.
    package var size: PixelSize
    package var orientation: Image.Orientation = .up
    package var hasAlpha: Bool = false
    /// Bits of one sample as the file stores it; a palette's entries have 8.
    package var bitsPerComponent: Int = 8
    /// Frames in the file; 1 for stills.
    package var frameCount: Int = 1

    package init(size: PixelSize) {
        self.size = size
    }

    /// The size of the picture as people see it, after `orientation`.
    package var displaySize: PixelSize { orientation.swapsSides ? size.swapped : size }
}

/// Reads and writes one file format. One value serves every thread; nothing is kept between calls.
///
/// Decoders check `ImageLimits` from the header before they allocate, apply the file's orientation to the
/// pixels, and throw `ImageCodecError` on anything broken: a picture they return is whole.
package protocol ImageCodec: Sendable {
    var format: ImageFormat { get }

    /// Whether `prefix` (at least 9 bytes) begins a file of this format.
    func matches(_ prefix: UnsafeRawBufferPointer) -> Bool

    /// Reads size, orientation and frame count without decoding pixels.
    func header(of data: Data) throws(ImageCodecError) -> ImageHeader

    /// Decodes the first frame, upright.
    ///
    /// With `minimumSize` (upright pixels) the codec may return fewer pixels than the file has, in the same
    /// proportions, but never fewer than `minimumSize` on either side: the caller shrinks the rest.
    func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer

    /// The frames of a file, decoded on demand, the first one already found whole; nil for formats without
    /// animation. A file with a single frame in a format that can hold more has a source of one frame.
    func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)?

    /// Encodes one picture; deterministic. `quality` is 0...1 and only means something to lossy formats.
    func encode(_ pixels: PixelBuffer, quality: Double) throws(ImageCodecError) -> Data
}

extension ImageCodec {
    package func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? { nil }

    package func encode(_ pixels: PixelBuffer, quality: Double) throws(ImageCodecError) -> Data {
        throw .unsupported("encoding \(format)")
    }
}
