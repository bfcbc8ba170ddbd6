import KingfisherCodecSupport
import KingfisherISOBoxes

/// One HEIC file, whose items have been read.
struct HEICDecoder: ImageDecoder {
    private let file: HEICFile
    private let image: HEICImage

    init(_ file: EncodedFile) throws(ImageCodecError) {
        self.file = try HEICFile(file)
        image = try HEICImage(self.file.primary, of: self.file)
        if ISOBox.isTruncated(file.reader) { throw .truncated }
    }

    var header: ImageHeader { image.header }

    /// To a smaller size, only planes are held at full size, or the planes of a tile; otherwise the pixels
    /// are added.
    func memory(for target: DecodingTarget) -> Int {
        let size = target.size(of: image.displaySize)
        return source(of: size).decodingMemory(target: size)
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try file.checkDerivation(of: image)
        let size = target.size(of: image.displaySize)
        let used = source(of: size)
        try file.limits.check(frameBytes: used.decodingMemory(target: size), beside: 0)
        try file.limits.check(used.source.largest)
        let colors = file.colors(of: used.items + image.items)
        func pixels(threads: Int) throws(ImageCodecError) -> PixelBuffer {
            try HEICPixelDecoder(file, used, colors: colors, threads: threads).decode(to: size).finished()
        }
        var threads = 0
        do throws(ImageCodecError) {
            let cores = IdleCoreReservation(cores: used.isParallel ? IdleCoreReservation.allowedCores : 1)
            defer { withExtendedLifetime(cores) {} }
            threads = cores.hasHelper ? 2 : 0
            return try pixels(threads: threads)
        } catch {
            // libde265 refuses some corrupt files only with threads.
            guard threads > 0, case .corrupt = error else { throw error }
            return try pixels(threads: 0)
        }
    }

    /// EXIF, XMP, and the ICC profile or else the `nclx` code points.
    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        try file.metadataBlocks(of: image)
    }

    /// What is decoded to `size`: the image, or its thumbnail.
    private func source(of size: PixelSize) -> HEICImage { thumbnail(covering: size) ?? image }

    /// The most thumbnails of an image that are considered.
    private static let maximumThumbnails = 16

    /// The smallest thumbnail (`thmb`: ISO/IEC 23008-12, 6.4.5) of at least the target's size that shows what
    /// the image shows and can be decoded; nil if the image itself is needed.
    private func thumbnail(covering target: PixelSize) -> HEICImage? {
        let whole = image.displaySize
        guard target.area < whole.area else { return nil }
        let thumbnails = image.items.flatMap { file.items("thmb", of: $0) }.prefix(Self.maximumThumbnails)
        let candidates = thumbnails.compactMap { item -> HEICImage? in
            guard let small = try? HEICImage(item, of: file) else { return nil }
            let size = small.displaySize
            // Sides are rounded to whole pixels.
            let width = Double(size.height) * Double(whole.width) / Double(whole.height)
            let isCovering = size.width >= target.width && size.height >= target.height
            guard isCovering, abs(width - Double(size.width)) <= 1, size.area < whole.area,
                small.area.shows(sameAs: image.area), small.hasAlpha == image.hasAlpha,
                small.source.depth == image.source.depth, file.declaresFrames(of: small),
                (try? file.checkDerivation(of: small)) != nil
            else { return nil }
            return small
        }
        return candidates.min { $0.stored.area < $1.stored.area }
    }
}
