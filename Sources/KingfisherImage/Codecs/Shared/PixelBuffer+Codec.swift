extension PixelBuffer {
    /// Makes a picture for a codec: `body` fills the rows, `bytesPerRow` bytes apart, and says what is
    /// broken.
    ///
    /// The rows are zeroed when `zeroed` is true, unspecified bytes otherwise; `body` runs once on the
    /// caller's thread. Throws what `body` throws, or `tooLarge` before memory is taken for more than
    /// `ImageLimits` allow.
    public static func decoding(
        _ size: PixelSize, format: PixelFormat, zeroed: Bool = false,
        _ body: (_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.check(size, format: format)
        do {
            return try PixelBuffer(width: size.width, height: size.height, format: format, zeroed: zeroed) {
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
