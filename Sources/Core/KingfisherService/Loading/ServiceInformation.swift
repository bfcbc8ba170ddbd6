import Foundation
import Kingfisher
import KingfisherImage

/// The facts about a source that requests below `/info` get as JSON. Absent facts have no member.
struct ServiceInformation: Encodable {
    private let format, mediaType, orientation: String
    private let bytes, width, height, frames: Int
    /// In seconds, of one pass of an animation.
    private let duration: Double?
    private let loopCount: Int?
    private let alpha: Bool
    private let bitsPerComponent: Int
    private let channels: Int?
    private let hdr, gainMap: Bool?
    private let colorProfile: String?
    private let codePoints: ImageMetadata.CodePoints?
    private let pixelDensity: ImageMetadata.PixelDensity?
    private let exif: ImageMetadata.EXIFFields?
    private let iptc: ImageMetadata.IPTCFields?
    private let location: ImageMetadata.Location?
    private let blurHash, thumbHash: String?

    /// Nil if the header of the file cannot be read. `image` is a small version, for the hashes.
    init?(_ file: Data, _ image: Image, _ options: ServiceOptions) {
        guard let info = file.kf.imageInfo else { return nil }
        (format, bytes) = (info.format.name.lowercased(), file.count)
        mediaType = ImageCodecs.codec(for: info.format)?.mediaType ?? "application/octet-stream"
        (width, height, frames) = (info.width, info.height, info.frameCount)
        (orientation, alpha, bitsPerComponent) = ("\(info.orientation)", info.hasAlpha, info.bitsPerComponent)
        let timing = info.frameCount > 1 ? info.timing : nil
        // Milliseconds: a sum of binary fractions would have sixteen digits.
        let seconds = timing?.durations.reduce(0, +)
        (duration, loopCount) = (seconds.map { ($0 * 1_000).rounded() / 1_000 }, timing?.loopCount)
        let metadata = file.kf.imageMetadata
        (channels, hdr, gainMap) = (metadata?.channels, metadata?.isHDR, metadata?.hasGainMap)
        (colorProfile, codePoints) = (metadata?.colorProfileName, metadata?.codePoints)
        (pixelDensity, exif) = (metadata?.pixelDensity, metadata?.exif)
        let hasPlace = options.metadata == .keep
        iptc = hasPlace ? metadata?.iptc : metadata?.iptc?.withoutPlace
        location = hasPlace ? metadata?.location : nil
        blurHash = options.hasBlurHash ? image.kf.blurHash()?.string : nil
        thumbHash = options.hasThumbHash ? image.kf.thumbHash()?.base64 : nil
    }
}

/// Writes ``ServiceInformation`` in place of an image, so that it is cached, shared and purged like one.
///
/// A value: equal requests share their work.
struct InformationSerializer: ImageFileCacheSerializer, Hashable {
    /// The box in pixels of the images that it gets.
    static let box = CGSize(width: 100, height: 100)

    private let options: ServiceOptions

    init(_ options: ServiceOptions) {
        var own = ServiceOptions()
        own.metadata = options.metadata == .keep ? .keep : .none
        (own.hasBlurHash, own.hasThumbHash) = (options.hasBlurHash, options.hasThumbHash)
        self.options = own
    }

    /// Tells the results of different options apart.
    var identifier: String {
        let names = [
            options.hasBlurHash ? "blurhash" : nil, options.hasThumbHash ? "thumbhash" : nil,
            options.metadata == .keep ? "location" : nil,
        ]
        return (["info"] + names.compactMap(\.self)).joined(separator: "-")
    }

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        guard let information = original.flatMap({ ServiceInformation($0, image, options) }) else {
            return nil
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(information) + Data("\n".utf8)
    }

    /// Stands for the file after its source has confirmed it; requests for files get the bytes.
    func image(with _: Data, options _: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        Image()
    }
}
