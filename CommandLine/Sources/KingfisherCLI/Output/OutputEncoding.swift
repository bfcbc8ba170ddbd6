import Foundation
import Kingfisher

struct OutputEncoding: Sendable {
    var asked: OutputFormat?
    var named: OutputFormat?
    var options = ImageEncodingOptions(quality: Double(Self.defaultQuality) / 100)
    /// Whether a file that already has the output format is encoded again. One that is larger than
    /// `maximumBytes` always is.
    var encodesAlways = false
    var metadata = MetadataPolicy.keepWithoutLocation

    /// The output format, if it is known before the image; nil for the source's format.
    var format: OutputFormat? { asked ?? named }

    struct Encoded {
        let bytes: Data
        let format: OutputFormat
        var gainMap: OutputGainMap?
    }

    /// Encodes an image.
    ///
    /// The file is copied, but for metadata, if it already has the output format and no writing option is
    /// given. After steps the default is PNG, which is lossless and supports transparency. An animation stays
    /// animated if the format supports it; otherwise the first frame is used.
    func encode(_ image: LoadedImage) throws -> Encoded {
        let own = image.file.flatMap { OutputFormat(of: $0) }
        let wanted = wanted(for: own)
        // An APNG with one frame is a PNG.
        let isWanted = wanted == own || wanted == .apng && own == .png
        if let own, isWanted, !encodesAlways, let file = try copy(of: image),
            file.count <= options.maximumBytes ?? .max
        {
            return Encoded(bytes: file, format: own, gainMap: OutputGainMap(of: image, in: file))
        }
        do throws(ImageCodecError) {
            return try encode(image, as: wanted)
        } catch {
            throw OutputEncodingError(format: wanted, reason: error)
        }
    }

    private func encode(_ loaded: LoadedImage, as wanted: OutputFormat) throws(ImageCodecError) -> Encoded {
        let image = try loaded.image()
        var options = options
        options.metadata = blocks(of: loaded, for: wanted)
        var outcome: OutputGainMap?
        do throws(GainMapLoss) {
            options.gainMap = try loaded.gainMap(for: image, in: wanted.imageFormat)
            if options.gainMap != nil { outcome = OutputGainMap() }
        } catch {
            outcome = OutputGainMap(loss: error)
        }
        let bytes: Data
        do throws(ImageCodecError) {
            bytes = try image.encoded(as: wanted.imageFormat, options: options)
        } catch {
            guard options.gainMap != nil else { throw error }
            options.gainMap = nil
            bytes = try image.encoded(as: wanted.imageFormat, options: options)
            if case .unsupported = error {
                outcome = OutputGainMap(loss: .format)
            } else {
                outcome = OutputGainMap(loss: .length)
            }
        }
        return Encoded(bytes: bytes, format: OutputFormat(of: bytes) ?? wanted, gainMap: outcome)
    }

    /// The file with metadata as asked; nil without a file.
    private func copy(of image: LoadedImage) throws(MetadataError) -> Data? {
        guard let file = image.file else { return nil }
        // The cached result of steps has none.
        if image.processor != nil { return metadata.applied(to: file, original: image.original) }
        guard let codec = ImageCodecs.codec(for: file) else { return file }
        do { return try metadata.applied(toUnchanged: file, by: codec) } catch {
            throw MetadataError(reason: error)
        }
    }

    /// What a new file gets of the source's metadata; nil for nothing.
    private func blocks(of image: LoadedImage, for format: OutputFormat) -> ImageMetadataBlocks? {
        guard format.capabilities.contains(.writesMetadata), let original = image.original,
            let blocks = try? ImageMetadataBlocks(of: original)
        else { return nil }
        return metadata.selected(from: blocks)
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
