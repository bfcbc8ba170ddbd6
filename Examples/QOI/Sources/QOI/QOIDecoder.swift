import Kingfisher

/// One QOI file, whose header has been read.
struct QOIDecoder: ImageDecoder {
    let header: ImageHeader
    private let data: Data

    /// Reads the header of 14 bytes: magic, width, height, channels, colour space.
    ///
    /// The specification calls the colour space "purely informative"; every image is treated as sRGB.
    init(_ file: EncodedFile) throws(ImageCodecError) {
        data = file.data
        let head = [UInt8](data.prefix(14))
        guard head.starts(with: "qoif".utf8) else { throw .unknownFormat }
        guard head.count == 14 else { throw .truncated }
        guard head[12] == 3 || head[12] == 4 else { throw .corrupt("\(head[12]) channels") }
        guard head[13] < 2 else { throw .corrupt("colour space \(head[13])") }
        func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
        var header = ImageHeader(size: PixelSize(width: number(head[4..<8]), height: number(head[8..<12])))
        try file.limits.check(header.size)
        header.hasAlpha = head[12] == 4
        header.isLossless = true
        self.header = header
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        // A byte encodes at most 62 pixels. Rejects sizes that the file cannot fill before allocation.
        guard data.count - 22 >= (header.size.area + 61) / 62 else { throw .truncated }
        var reader = QOIReader(data)
        let format = header.hasAlpha ? PixelFormat.rgba8Straight : .rgba8Opaque
        return try PixelBuffer.decoding(header.size, format: format) {
            rows, bytesPerRow throws(ImageCodecError) in
            for y in 0..<header.size.height {
                for x in 0..<header.size.width {
                    var pixel = try reader.next()
                    if !header.hasAlpha { pixel.w = 255 }
                    rows.storeBytes(of: pixel, toByteOffset: y * bytesPerRow + x * 4, as: QOIPixel.self)
                }
            }
            try reader.end()
        }
        .resized(to: target)
    }
}
