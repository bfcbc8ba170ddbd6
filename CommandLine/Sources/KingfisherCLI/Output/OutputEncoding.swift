import Foundation
import Kingfisher

struct OutputEncoding: Sendable {
    var asked: OutputFormat?
    var named: OutputFormat?
    var options = ImageEncodingOptions(quality: Double(Self.defaultQuality) / 100)
    /// Whether a file that already has the output format is encoded again. One that is larger than
    /// `maximumBytes` always is.
    var encodesAlways = false

    /// The output format, if it is known before the image; nil for the source's format.
    var format: OutputFormat? { asked ?? named }

    struct Encoded {
        let bytes: Data
        let format: OutputFormat
    }

    /// Encodes an image.
    ///
    /// The file is copied if it already has the output format and no writing option is given. After steps the
    /// default is PNG, which is lossless and supports transparency. An animation stays animated if the format
    /// supports it; otherwise the first frame is used.
    func encode(_ image: LoadedImage) throws(OutputEncodingError) -> Encoded {
        let own = image.file.flatMap { OutputFormat(of: $0) }
        let wanted = wanted(for: own)
        // An APNG with one frame is a PNG.
        let isWanted = wanted == own || wanted == .apng && own == .png
        if let file = image.file, let own, isWanted, !encodesAlways,
            file.count <= options.maximumBytes ?? .max
        {
            return Encoded(bytes: file, format: own)
        }
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
