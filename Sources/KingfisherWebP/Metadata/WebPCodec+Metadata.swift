public import Foundation
public import KingfisherCodecSupport

extension WebPCodec {
    /// The EXIF, XMP and ICC chunks; of several of a kind, the first.
    public func metadataBlocks(of data: Data) throws(ImageCodecError) -> ImageMetadataBlocks {
        try data.reading { reader throws(ImageCodecError) in
            var blocks = ImageMetadataBlocks()
            var walk = RIFFWalk()
            while let chunk = try walk.next(in: reader) {
                guard let field = chunk.name.metadataField else { continue }
                guard let body = reader.slice(at: chunk.data, count: chunk.length) else { break }
                blocks.keep(body, as: field)
            }
            return blocks
        }
    }
}

extension RIFFChunk.Name {
    /// The block that a chunk of this name holds.
    var metadataField: WritableKeyPath<ImageMetadataBlocks, Data?>? {
        switch self {
        case .EXIF: \.exif
        case .XMP: \.xmp
        case .ICCP: \.profile
        default: nil
        }
    }
}
