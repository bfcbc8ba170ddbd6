import Foundation
import KingfisherCodecSupport

extension RIFFWalk {
    /// The EXIF, XMP and ICC chunks; of several of a kind, the first.
    static func metadata(in file: ByteReader) throws(ImageCodecError) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        var walk = RIFFWalk()
        while let chunk = try walk.next(in: file) {
            guard let field = chunk.name.metadataField else { continue }
            guard let body = file.slice(at: chunk.data, count: chunk.length) else { break }
            blocks.keep(body, as: field)
        }
        return blocks
    }
}

extension RIFFChunk.Name {
    /// The block that a chunk of this name holds.
    fileprivate var metadataField: WritableKeyPath<ImageMetadataBlocks, Data?>? {
        switch self {
        case .EXIF: \.exif
        case .XMP: \.xmp
        case .ICCP: \.profile
        default: nil
        }
    }
}
