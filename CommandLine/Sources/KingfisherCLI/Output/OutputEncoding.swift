import Foundation
import Kingfisher

/// How an image becomes the bytes that are written.
struct OutputEncoding: Sendable {
    /// The format asked for by `-f`.
    var asked: OutputFormat?
    /// The format that the output's extension means.
    var named: OutputFormat?
    /// Quality of lossy formats, 1...100.
    var quality: Int?
    /// Whether a format that can be lossy must not be.
    var isLossless = false

    /// The format to write, where it is known before the image is; nil keeps the source's own.
    var format: OutputFormat? { asked ?? named }

    struct Encoded {
        let bytes: Data
        let format: OutputFormat
    }

    /// The bytes to write for an image.
    ///
    /// Its file passes through untouched when its format is wanted and nothing is said about the quality of
    /// that. After steps the format is PNG unless told otherwise: it loses nothing and keeps rounded corners
    /// transparent. An animation stays one in a format that has room for it; the others show its first frame.
    func encode(_ image: LoadedImage) throws(OutputEncodingError) -> Encoded {
        let own = image.file.flatMap { OutputFormat(of: $0) }
        let wanted = wanted(for: own)
        // An APNG of one frame is a PNG.
        let isWanted = wanted == own || wanted == .apng && own == .png
        if let file = image.file, let own, isWanted, !(wanted.isLossy && (quality != nil || isLossless)) {
            return Encoded(bytes: file, format: own)
        }
        let options = ImageEncodingOptions(
            quality: Double(quality ?? Self.defaultQuality) / 100, isLossless: isLossless)
        do throws(ImageCodecError) {
            let bytes = try image.image().encoded(as: wanted.imageFormat, options: options)
            return Encoded(bytes: bytes, format: OutputFormat(of: bytes) ?? wanted)
        } catch {
            throw OutputEncodingError(format: wanted, reason: error)
        }
    }

    /// An animated PNG may have a PNG's name, and stays what it is unless `-f` wants a still.
    private func wanted(for own: OutputFormat?) -> OutputFormat {
        if asked == nil, named == .png, own == .apng { return .apng }
        return format ?? own ?? .png
    }

    /// The quality of a lossy format where none is given.
    static let defaultQuality = 90
}

/// An image that cannot be written in a format.
struct OutputEncodingError: Error, Hashable {
    let format: OutputFormat
    let reason: ImageCodecError
}
