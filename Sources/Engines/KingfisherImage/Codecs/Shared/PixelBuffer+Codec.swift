extension PixelBuffer {
    /// Makes an image for a codec; `body` fills the rows, which are `bytesPerRow` bytes apart.
    ///
    /// The rows are zeroed if `zeroed` is true, otherwise undefined; `body` runs once on the caller's thread.
    /// Throws the error of `body`, or a limit error before allocating more than `ImageLimits` allow.
    public static func decoding(
        _ size: PixelSize, format: PixelFormat, zeroed: Bool = false,
        _ body: (_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try decoding(size, format: format, extent: PixelExtent(size), zeroed: zeroed, body)
    }

    package static func decoding(
        _ size: PixelSize, format: PixelFormat, extent: PixelExtent, zeroed: Bool = false,
        _ body: (_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.current.check(size, format: format)
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
