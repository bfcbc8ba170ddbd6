import Foundation
import Kingfisher

struct OutputEncoding: Sendable {
    var asked: OutputFormat?
    var named: OutputFormat?
    /// Quality of lossy formats, 1...100.
    var quality: Int?
    /// Whether to use the lossless mode of a format that has both modes.
    var isLossless = false

    /// The output format, if it is known before the image; nil for that of the source.
    var format: OutputFormat? { asked ?? named }

    struct Encoded {
        let bytes: Data
        let format: OutputFormat
    }

    /// Encodes an image.
    ///
    /// The file is copied if it already has the output format and no quality is given. After steps the
    /// default is PNG, which is lossless and supports transparency. An animation stays animated if the format
    /// supports it; otherwise the first frame is used.
    func encode(_ image: LoadedImage) throws(OutputEncodingError) -> Encoded {
        let own = image.file.flatMap { OutputFormat(of: $0) }
        let wanted = wanted(for: own)
        // An APNG with one frame is a PNG.
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

    /// An APNG may have the extension of a PNG; it stays animated unless `-f png` is given.
    private func wanted(for own: OutputFormat?) -> OutputFormat {
        if asked == nil, named == .png, own == .apng { return .apng }
        return format ?? own ?? .png
    }

    static let defaultQuality = 90
}

struct OutputEncodingError: Error, Hashable {
    let format: OutputFormat
    let reason: ImageCodecError
}
