import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes

/// The colours of an image (`colr`: ISO/IEC 14496-12, 12.1.5).
struct HEICColors {
    let profile: ByteReader?
    /// Ignored by readers if there is a profile.
    let codePoints: ImageMetadata.CodePoints?

    /// Reads the contents of `colr`; nil without any.
    init?(_ boxes: [ByteReader]) {
        guard !boxes.isEmpty else { return nil }
        let box = boxes.first { $0.has("prof", at: 0) || $0.has("rICC", at: 0) }
        profile = box?.slice(at: 4, count: (box?.count ?? 4) - 4)
        codePoints = boxes.first { $0.has("nclx", at: 0) }.flatMap(Self.codePoints)
    }

    private static func codePoints(_ content: ByteReader) -> ImageMetadata.CodePoints? {
        guard let primaries = content.uint16(at: 4, bigEndian: true),
            let transfer = content.uint16(at: 6, bigEndian: true),
            let matrix = content.uint16(at: 8, bigEndian: true), let range = content.uint8(at: 10)
        else { return nil }
        // Many writers leave "reserved" and "unspecified" there, where sRGB is meant.
        func specified(_ value: Int, _ other: Int) -> Int { value == 0 || value == 2 ? other : value }
        return ImageMetadata.CodePoints(
            primaries: specified(primaries, 1), transfer: specified(transfer, 13), matrix: matrix,
            isFullRange: range & 0x80 != 0)
    }

    /// The conversion to sRGB by the profile, or else by the code points; nil for sRGB and for unknown ones.
    func transform(
        _ depth: PixelFormat.Depth, _ limits: ImageLimits
    ) throws(ImageCodecError) -> ICCTransform? {
        guard let profile else {
            return codePoints.flatMap {
                ColorEncoding(primaries: $0.primaries, transfer: $0.transfer)
            }?.transform(of: .rgb(depth))
        }
        try limits.check(metadataBytes: profile.count)
        return ICCTransform.toSRGB(from: profile, of: .rgb(depth))
            ?? ICCTransform.toSRGB(from: profile, of: .grayInColor(depth))
    }

    /// Stores the profile, or else the code points.
    func keep(in blocks: inout ImageMetadataBlocks, _ limits: ImageLimits) throws(ImageCodecError) {
        if let profile {
            try limits.check(metadataBytes: profile.count)
            blocks.keep(profile, as: \.profile)
        } else {
            blocks.codePoints = codePoints
        }
    }
}

extension HEICFile {
    /// The colours of the first of `items` that states them, or else the colours of the first image that the
    /// last one is derived from; nil if nothing states them.
    func colors(of items: [Int]) -> HEICColors? {
        if let stated = items.lazy.compactMap(colors(of:)).first { return stated }
        return items.last.flatMap { inputs(of: $0).first }.flatMap(colors(of:))
    }

    private func colors(of item: Int) -> HEICColors? {
        HEICColors(properties(of: item).compactMap { $0.has("colr") ? $0.content : nil })
    }

    /// The code points of an item (`nclx`); nil if it has none.
    func codePoints(of item: Int) -> ImageMetadata.CodePoints? { colors(of: item)?.codePoints }

    // MARK: Metadata

    /// The most metadata items of an image that are read.
    private static var maximumBlocks: Int { 64 }

    /// EXIF, XMP, and the ICC profile or else the `nclx` code points of an image.
    func metadataBlocks(of image: HEICImage) throws(ImageCodecError) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        blocks.channels = image.hasAlpha ? 4 : 3
        try colors(of: image.items)?.keep(in: &blocks, limits)
        let locations = meta.itemContents(in: reader)
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
