import KingfisherImage
import KingfisherStorage

/// Where the tiles of an image come from, once it has been read for the first time. Safe from any thread.
struct TileSource: Sendable {
    private enum Kind: Sendable {
        /// A file, and the levels that are smaller than its deepest one.
        case regions(any ImageRegions, smaller: [PixelBuffer])
        case pyramid(TilePyramid)
    }

    private let kind: Kind
    private let levels: TileLevels

    /// The pixels of a level, and how all other pixels are got.
    typealias FirstView = (source: TileSource, level: Int, pixels: PixelBuffer)

    /// Reads a file by its regions; nil if it must be decoded as a whole. The view is the last level if the
    /// wanted one exceeds the limits.
    static func reading(
        _ regions: any ImageRegions, _ levels: TileLevels, level: Int
    ) throws(ImageCodecError) -> FirstView? {
        let deepest = min(regions.deepestLevel, levels.count - 1)
        let depth: PixelFormat.Depth = regions.header.bitsPerComponent > 8 ? .sixteen : .eight
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: .premultiplied)
        let fits = (try? ImageLimits.current.check(levels.size(of: level), format: format)) != nil
        let wanted = fits ? level : levels.count - 1
        let first = min(wanted, deepest)
        guard let stored = try regions.whole(level: first) else { return nil }
        var current = try stored.upright(from: regions.header.orientation)
        var view = current
        var smaller: [PixelBuffer] = []
        for level in levels.count > first + 1 ? (first + 1)..<levels.count : first..<first {
            current = try current.resized(to: levels.size(of: level))
            if level > deepest { smaller.append(current) }
            if level == wanted { view = current }
        }
        return (TileSource(kind: .regions(regions, smaller: smaller), levels: levels), wanted, view)
    }

    /// Decodes a file as a whole, and writes its tiles to a file.
    static func decoding(
        _ pixels: PixelBuffer, _ levels: TileLevels, level wanted: Int, _ folder: BodyFolder,
        _ space: TileSpace
    ) throws -> FirstView {
        var view = pixels
        let pyramid = try TilePyramid(pixels, levels, folder, space) { if $0 == wanted { view = $1 } }
        return (TileSource(kind: .pyramid(pyramid), levels: levels), wanted, view)
    }

    func whole(level: Int) throws(ImageCodecError) -> PixelBuffer {
        switch kind {
        case .pyramid(let pyramid): return try pyramid.whole(level: level)
        case .regions(let regions, let smaller):
            if let pixels = Self.pixels(level, smaller, levels) { return pixels }
            guard let pixels = try regions.whole(level: level) else {
                throw .corrupt("the image data have changed")
            }
            return try pixels.upright(from: regions.header.orientation)
        }
    }

    func tile(_ area: PixelArea, level: Int) throws(ImageCodecError) -> PixelBuffer {
        switch kind {
        case .pyramid(let pyramid): return try pyramid.tile(area, level: level)
        case .regions(let regions, let smaller):
            if let pixels = Self.pixels(level, smaller, levels) {
                return try pixels.cropped(
                    x: area.x, y: area.y, width: area.size.width, height: area.size.height)
            }
            let header = regions.header
            let stored = area.stored(from: header.orientation, of: header.size.level(level))
            return try regions.part(stored, level: level).upright(from: header.orientation)
        }
    }

    private static func pixels(
        _ level: Int, _ smaller: [PixelBuffer], _ levels: TileLevels
    ) -> PixelBuffer? {
        let index = level - (levels.count - smaller.count)
        return index >= 0 ? smaller[index] : nil
    }
}
