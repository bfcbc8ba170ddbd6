import Glibc

extension PixelBuffer {
    /// Nearest neighbours: holds the place of the filtered resize until that lands, then goes.
    package func resized(to size: PixelSize) throws -> PixelBuffer {
        let bytes = format.bytesPerPixel
        return try PixelBuffer(width: size.width, height: size.height, format: format) { rows, rowLength in
            for (y, x) in (0..<size.height).lazy.flatMap({ y in (0..<size.width).lazy.map { (y, $0) } }) {
                let from =
                    unsafeBase + y * height / size.height * bytesPerRow + x * width / size.width * bytes
                rows.baseAddress.map { _ = memcpy($0 + y * rowLength + x * bytes, from, bytes) }
            }
        }
    }
}
