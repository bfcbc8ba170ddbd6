import Foundation
import KingfisherCodecSupport

/// The largest preview of a RAW file, opened by the library's JPEG codec.
struct RAWDecoder: ImageDecoder {
    private let file: EncodedFile
    private let raw: RAWFile
    private let preview: RAWPreview

    init(_ file: EncodedFile) throws(ImageCodecError) {
        self.file = file
        raw = try file.reading { reader throws(ImageCodecError) in try RAWFile(reader) }
        preview = try RAWPreview(largestOf: raw, in: file)
    }

    var header: ImageHeader { preview.decoder.header }

    var endsEarly: Bool { preview.endsEarly }

    func memory(for target: DecodingTarget) -> Int { preview.decoder.memory(for: target) }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try preview.decoder.decode(target)
    }

    /// Blocks that the RAW file lacks are the preview's.
    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        var blocks = file.reading { _ in raw.metadata() }
        let others = try preview.decoder.metadata()
        for block in [\ImageMetadataBlocks.exif, \.xmp, \.iptc, \.profile] where blocks[keyPath: block] == nil
        {
            others[keyPath: block]?.withUnsafeBytes { blocks.keep(ByteReader($0), as: block) }
        }
        blocks.extendedXMP = blocks.xmp == others.xmp ? others.extendedXMP : nil
        (blocks.density, blocks.channels) = (others.density, others.channels)
        blocks.hasGainMap = others.hasGainMap
        blocks.isComplete = blocks.isComplete && others.isComplete
        return blocks
    }
}
