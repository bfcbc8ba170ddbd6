package import Foundation

extension JPEGCodec {
    /// The upright thumbnail from a file's metadata, if it can replace the image shrunk to `side` pixels
    /// along its longer side.
    ///
    /// It must have at least that many pixels and the aspect ratio of the image: some cameras add black bars,
    /// and some programs crop the image without updating it. `start` must reach at least to the first scan.
    package func thumbnail(inStart start: Data, longerSide side: Double) -> PixelBuffer? {
        let found = try? start.reading { reader throws(ImageCodecError) in
            let frame = try JPEGFrameHeader(scanning: reader)
            guard let bytes = frame.thumbnail else { return Found?.none }
            return Found(data: Data(bytes.bytes), image: frame.size, orientation: frame.orientation)
        }
        guard let found = found.flatMap(\.self), let header = try? header(of: found.data),
            // The image's orientation applies to the thumbnail, which has none.
            header.orientation == .up, Self.shows(all: found.image, in: header.size),
            header.size.width <= found.image.width, header.size.height <= found.image.height,
            Double(max(header.size.width, header.size.height)) >= side.rounded(),
            let pixels = try? decode(found.data, minimumSize: nil).shrunk(toLongerSide: side)
        else { return nil }
        return try? pixels.upright(from: found.orientation)
    }

    private struct Found {
        let data: Data
        let image: PixelSize
        let orientation: Image.Orientation
    }

    private static func shows(all image: PixelSize, in thumbnail: PixelSize) -> Bool {
        let width = Double(thumbnail.height) * Double(image.width) / Double(image.height)
        let height = Double(thumbnail.width) * Double(image.height) / Double(image.width)
        return abs(width - Double(thumbnail.width)) <= 1 || abs(height - Double(thumbnail.height)) <= 1
    }
}
