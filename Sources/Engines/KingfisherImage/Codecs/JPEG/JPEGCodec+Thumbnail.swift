package import Foundation

extension JPEGCodec {
    /// The upright thumbnail from a file's metadata, if it can replace the image shrunk to `side` pixels
    /// along its longer side.
    ///
    /// It must have at least that many pixels and the aspect ratio of the image: some cameras add black bars,
    /// and some programs crop the image without updating it. `start` must reach at least to the first scan.
    package func thumbnail(inStart start: Data, longerSide side: Double) -> PixelBuffer? {
        try? EncodedFile(start).reading { reader throws(ImageCodecError) in
            let frame = try JPEGFrameHeader(scanning: reader)
            guard let bytes = frame.thumbnail else { return nil }
            let thumbnail = try open(EncodedFile(Data(bytes.bytes)))
            let size = thumbnail.header.size
            // The image's orientation applies to the thumbnail, which has none.
            guard thumbnail.header.orientation == .up, Self.shows(all: frame.size, in: size),
                size.width <= frame.size.width, size.height <= frame.size.height,
                Double(max(size.width, size.height)) >= side.rounded()
            else { return nil }
            return try thumbnail.decode(.full).shrunk(toLongerSide: side).upright(from: frame.orientation)
        }
    }

    private static func shows(all image: PixelSize, in thumbnail: PixelSize) -> Bool {
        let width = Double(thumbnail.height) * Double(image.width) / Double(image.height)
        let height = Double(thumbnail.width) * Double(image.height) / Double(image.width)
        return abs(width - Double(thumbnail.width)) <= 1 || abs(height - Double(thumbnail.height)) <= 1
    }
}
