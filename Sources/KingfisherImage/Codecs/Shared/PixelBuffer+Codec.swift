extension PixelBuffer {
    /// Makes an image for a codec: `body` fills the rows, `bytesPerRow` bytes apart, and says what is
    /// broken.
    ///
    /// The rows are zeroed when `zeroed` is true, unspecified bytes otherwise; `body` runs once on the
    /// caller's thread. Throws what `body` throws, or `tooLarge` before memory is taken for more than
    /// `ImageLimits` allow.
    public static func decoding(
        _ size: PixelSize, format: PixelFormat, zeroed: Bool = false,
        _ body: (_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try decoding(size, format: format, extent: PixelExtent(size), zeroed: zeroed, body)
    }

    /// The same for an image whose last column and row may show less than a whole pixel.
    package static func decoding(
        _ size: PixelSize, format: PixelFormat, extent: PixelExtent, zeroed: Bool = false,
        _ body: (_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.check(size, format: format)
        do {
            return try PixelBuffer(size, format: format, extent: extent, zeroed: zeroed) {
                guard let rows = $0.baseAddress else { throw ImageCodecError.emptyImage }
                try body(rows, $1)
            }
        } catch let error as ImageCodecError {
            throw error
        } catch {
            throw .corrupt("\(error)")
        }
    }
}
