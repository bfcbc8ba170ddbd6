import Foundation
import Kingfisher

/// A change of a file's metadata that encodes no pixels.
struct MetadataChange: Sendable {
    /// `automatic` changes nothing.
    var policy = MetadataPolicy.automatic
    /// Clockwise.
    var quarterTurns = 0
    /// After the turn.
    var flip: FlipAxis?

    var isEmpty: Bool { policy == .automatic && quarterTurns == 0 && flip == nil }

    struct Changed: Sendable {
        let bytes: Data
        let format: OutputFormat
        let orientation: Image.Orientation
    }

    /// The changed file, which equals `file` if there is nothing to change.
    ///
    /// Throws `UnreadableImage`, an `ImageCodecError`, or `CopyrightLoss`.
    func applied(to file: Data) throws -> Changed {
        guard let codec = ImageCodecs.codec(for: file) else { throw UnreadableImage(bytes: file) }
        let present = try codec.open(EncodedFile(file)).header.orientation
        var orientation = present.rotated(byQuarterTurns: quarterTurns)
        if let flip { orientation = orientation.flipped(flip) }
        // First, because an upright file needs no EXIF block after the others have been removed.
        let turned = orientation == present ? file : try codec.settingOrientation(orientation, of: file)
        let bytes = try policy.applied(toUnchanged: turned, by: codec)
        if policy == .keepCopyright, try names(in: bytes, codec) != names(in: file, codec) {
            throw CopyrightLoss(format: codec.format)
        }
        return Changed(
            bytes: bytes, format: OutputFormat(imageFormat: codec.format), orientation: orientation)
    }

    private func names(in file: Data, _ codec: any ImageCodec) throws -> ImageMetadataBlocks {
        try codec.open(EncodedFile(file)).metadata().onlyCopyright()
    }
}

/// The format has no place for the names that the file states.
struct CopyrightLoss: Error, Hashable {
    let format: ImageFormat
}
