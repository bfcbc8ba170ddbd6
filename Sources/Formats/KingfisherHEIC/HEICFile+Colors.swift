import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes

/// The colours of an image (`colr`: ISO/IEC 14496-12, 12.1.5).
struct HEICColors {
    let profile: ByteReader?
    /// Ignored by readers if there is a profile.
    let codePoints: ImageMetadata.CodePoints?
}

extension HEICFile {
    /// The colours of the first of `items` that states them, or else the colours of the first image that the
    /// last one is derived from; nil if nothing states them.
    func colors(of items: [Int]) -> HEICColors? {
        if let stated = items.lazy.compactMap(colors(of:)).first { return stated }
        return items.last.flatMap { inputs(of: $0).first }.flatMap(colors(of:))
    }

    private func colors(of item: Int) -> HEICColors? {
        let boxes = properties(of: item).compactMap { $0.has("colr") ? $0.content : nil }
        guard !boxes.isEmpty else { return nil }
        let profile = boxes.first { $0.has("prof", at: 0) || $0.has("rICC", at: 0) }
        return HEICColors(
            profile: profile?.slice(at: 4, count: (profile?.count ?? 4) - 4), codePoints: codePoints(of: item)
        )
    }

    /// The code points of an item (`nclx`); nil if it has none.
    func codePoints(of item: Int) -> ImageMetadata.CodePoints? {
        let colors = properties(of: item).compactMap { $0.has("colr") ? $0.content : nil }
        guard let content = colors.first(where: { $0.has("nclx", at: 0) }),
            let primaries = content.uint16(at: 4, bigEndian: true),
            let transfer = content.uint16(at: 6, bigEndian: true),
            let matrix = content.uint16(at: 8, bigEndian: true), let range = content.uint8(at: 10)
        else { return nil }
        // Many writers leave "reserved" and "unspecified" there, where sRGB is meant.
        func specified(_ value: Int, _ other: Int) -> Int { value == 0 || value == 2 ? other : value }
        return ImageMetadata.CodePoints(
            primaries: specified(primaries, 1), transfer: specified(transfer, 13), matrix: matrix,
            isFullRange: range & 0x80 != 0)
    }

    // MARK: Metadata

    /// The most metadata items of an image that are read.
    private static var maximumBlocks: Int { 64 }

    /// EXIF, XMP, and the ICC profile or else the `nclx` code points of an image.
    func metadataBlocks(of image: HEICImage) throws(ImageCodecError) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        blocks.channels = image.hasAlpha ? 4 : 3
        let colors = colors(of: image.items)
        if let profile = colors?.profile {
            try limits.check(metadataBytes: profile.count)
            blocks.keep(profile, as: \.profile)
        } else {
            blocks.codePoints = colors?.codePoints
        }
        let locations = locations()
        for item in image.items.flatMap({ items("cdsc", of: $0) }).prefix(Self.maximumBlocks) {
            guard let block = locations[item] else { continue }
            if isXMP(item) { blocks.keep(block, as: \.xmp) }
            // The offset of the TIFF file is before it (ISO/IEC 23008-12, A.2.1).
            guard has("Exif", item), let offset = block.uint32(at: 0, bigEndian: true),
                let file = block.slice(at: 4 + offset, count: block.count - 4 - offset)
            else { continue }
            blocks.keep(file, as: \.exif)
        }
        return blocks
    }

    /// Whether an item has XMP: its content type follows its name.
    private func isXMP(_ item: Int) -> Bool {
        guard has("mime", item), let entry = entries[item],
            let end = entry.offset(of: 0, from: Self.typeOffset(in: entry) + 4)
        else { return false }
        return entry.has("application/rdf+xml", at: end + 1)
    }
}
