import Foundation
import Kingfisher

/// How a picture becomes the bytes that are written.
struct OutputEncoding: Sendable {
    /// The format asked for by `-f` or by the output's extension; nil keeps the source's own.
    var format: OutputFormat?
    /// JPEG quality, 1...100.
    var quality: Int?

    struct Encoded {
        let bytes: Data
        let format: OutputFormat
    }

    /// Encodes `image`; `original` are the source's bytes when no step changed the picture.
    ///
    /// Original bytes pass through untouched when their format is wanted and no quality is. After steps the
    /// format is PNG unless told otherwise: it loses nothing and keeps rounded corners transparent.
    func encode(_ image: Image, original: Data?) throws(OutputEncodingError) -> Encoded {
        let own = original.flatMap { OutputFormat($0.kf.imageFormat) }
        let wanted = format ?? own ?? .png
        if let original, wanted == own, wanted != .jpeg || quality == nil {
            return Encoded(bytes: original, format: wanted)
        }
        let quality = CGFloat(quality ?? Self.defaultQuality) / 100
        guard let bytes = image.kf.data(format: wanted.imageFormat, compressionQuality: quality),
            OutputFormat(bytes.kf.imageFormat) == wanted
        else { throw OutputEncodingError(format: wanted) }
        return Encoded(bytes: bytes, format: wanted)
    }

    /// The quality of a JPEG where none is given.
    static let defaultQuality = 90
}

/// A picture that cannot be written in a format: GIF is only passed through, never made.
struct OutputEncodingError: Error, Hashable, CustomStringConvertible {
    let format: OutputFormat

    var description: String {
        format == .gif
            ? "only a GIF without steps can be written as GIF"
            : "the picture cannot be encoded as \(format.rawValue)"
    }
}
