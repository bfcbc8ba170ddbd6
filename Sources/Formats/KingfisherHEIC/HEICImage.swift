import KingfisherCodecSupport
import KingfisherISOBoxes

/// An item with pixels by its header: coded, or derived from coded ones.
struct HEICItem {
    let id: Int
    /// The size before transformations.
    let size: PixelSize
    let bitsPerComponent: Int
    /// Whether the image is coded as a whole.
    let isCoded: Bool
    /// The largest of the images that it is derived from, such as cells, which may exceed it; empty without
    /// any.
    private let largestPart: PixelSize

    init(_ id: Int, of file: HEICFile) throws(ImageCodecError) {
        guard let size = file.size(of: id) else { throw .corrupt("no size") }
        try file.limits.check(size)
        self.id = id
        self.size = size
        bitsPerComponent = file.bitsPerComponent(of: id)
        isCoded = file.has("hvc1", id) || file.has("hev1", id)
        largestPart =
            file.parts(of: id).compactMap(file.size(of:)).max { $0.area < $1.area }
            ?? PixelSize(width: 0, height: 0)
    }

    /// A frame of a track.
    init(_ track: HEICTrack) {
        (id, size, bitsPerComponent, isCoded) = (-1, track.size, track.bitsPerComponent, true)
        largestPart = PixelSize(width: 0, height: 0)
    }

    var depth: PixelFormat.Depth { bitsPerComponent > 8 ? .sixteen : .eight }

    /// The limit for coded images.
    var largest: PixelSize { largestPart.area > size.area ? largestPart : size }

    /// The planes of libde265 and of libheif for `size`, and what libde265 notes of each block, at most 6
    /// bytes a pixel.
    func workingMemory(of size: PixelSize) -> Int {
        let bytes = 2 * 3 * (depth == .sixteen ? 2 : 1) + 6
        let (product, overflow) = size.area.multipliedReportingOverflow(by: bytes)
        return overflow ? .max / 4 : min(product, .max / 4)
    }

    /// The memory for a decode by libheif, without the result.
    var workingMemory: Int {
        // libheif has the whole image beside the one that is being decoded for it.
        let hasOwnPart = isCoded && largestPart.area <= size.area
        return workingMemory(of: size) + (hasOwnPart ? 0 : workingMemory(of: largestPart))
    }
}

/// The alpha of an image.
struct HEICAlpha {
    let source: HEICItem
    /// What is shown of it. If `stored` is not the size of the source, the source is scaled to it.
    let area: HEICArea
    /// Whether the colours are multiplied by it.
    let isPremultiplied: Bool

    /// The alpha that belongs to the image that consists of `items`, or to one of them; nil without any.
    ///
    /// Alpha is transformed by its own properties (ISO/IEC 23008-12, 6.3), as libheif does it. Without any,
    /// it is aligned to the image before transformations, as libavif reads all files and writes them before
    /// 1.0.
    init?(_ items: [Int], _ image: HEICArea, of file: HEICFile) throws(ImageCodecError) {
        guard let level = items.firstIndex(where: { file.alpha(of: $0) != nil }),
            let alpha = file.alpha(of: items[level])
        else { return nil }
        let own = try file.derivation(of: alpha)
        source = try HEICItem(own[own.count - 1], of: file)
        isPremultiplied = file.isPremultiplied(items[level], by: alpha)
        let hasOwn = own.contains { !file.transformations(of: $0).isEmpty }
        area = hasOwn ? file.area(of: items[..<level] + own, source.size) : image
    }
}

extension HEICAlpha {
    /// The frames of a track.
    init(_ track: HEICTrack, isPremultiplied: Bool) {
        (source, area, self.isPremultiplied) = (HEICItem(track), track.area, isPremultiplied)
    }
}

extension HEICFile {
    /// What the transformations of `items` show, which apply from the last to the first.
    fileprivate func area(of items: some BidirectionalCollection<Int>, _ size: PixelSize) -> HEICArea {
        items.reversed().flatMap(transformations(of:)).reduce(into: HEICArea(of: size)) { $0.apply($1) }
    }
}

/// An image of a file by its header: size, alpha, and the transformations that make it upright.
struct HEICImage {
    /// `chroma_format_idc` of ITU-T H.265, table 6-1.
    enum Chroma: Int {
        case gray, half420, half422, full

        /// How many pixels share a sample along each axis.
        var columns: Int { self == .half420 || self == .half422 ? 2 : 1 }
        var rows: Int { self == .half420 ? 2 : 1 }
    }

    /// The item of the image and those that it is derived from by transformations; the last has the pixels.
    let items: [Int]
    let source: HEICItem
    let chroma: Chroma?
    /// The cells of a grid; nil for other images, which libheif makes unless they are coded as a whole.
    let grid: HEICGrid?
    let area: HEICArea
    let alpha: HEICAlpha?

    /// The primary image, or its thumbnail.
    init(_ item: Int, of file: HEICFile) throws(ImageCodecError) {
        items = try file.derivation(of: item)
        source = try HEICItem(items[items.count - 1], of: file)
        area = file.area(of: items, source.size)
        alpha = try HEICAlpha(items, area, of: file)
        chroma = file.chroma(of: source.id)
        grid = HEICGrid(source.id, of: file, size: source.size)
    }

    /// A frame of a track.
    init(_ track: HEICTrack, alpha: HEICAlpha?) {
        (items, source, grid) = ([], HEICItem(track), nil)
        (chroma, area, self.alpha) = (track.chroma, track.area, alpha)
    }

    /// The size of the coded image.
    var stored: PixelSize { source.size }
    /// The size of the part that is shown, as stored.
    var size: PixelSize { area.size }
    var displaySize: PixelSize { area.displaySize }
    var bitsPerComponent: Int { source.bitsPerComponent }
    var hasAlpha: Bool { alpha != nil }

    var header: ImageHeader {
        var header = ImageHeader(size: size)
        header.orientation = area.orientation
        header.hasAlpha = hasAlpha
        header.bitsPerComponent = bitsPerComponent
        return header
    }

    var format: PixelFormat {
        guard let alpha else { return PixelFormat(layout: .rgba, depth: source.depth, alpha: .opaque) }
        return PixelFormat(
            layout: .rgba, depth: source.depth, alpha: alpha.isPremultiplied ? .premultiplied : .straight)
    }

    /// Whether a second thread is worth its start: for a large image that is coded as a whole.
    var isParallel: Bool { source.isCoded && stored.area >= 1 << 20 }

    /// Whether a decode to `target` never holds RGB pixels at full size.
    func scalesPlanes(to target: PixelSize) -> Bool {
        guard let chroma, target.area < size.area, !hasAlpha else { return false }
        guard source.isCoded || grid != nil else { return false }
        // A crop or a cell may begin within a chroma sample.
        let isAligned = grid.map {
            $0.cell.width % chroma.columns == 0 && $0.cell.height % chroma.rows == 0
        }
        return isAligned != false && area.left % chroma.columns == 0 && area.top % chroma.rows == 0
    }

    /// The size of a plane of an image, from 0 for luma on.
    func size(of plane: Int, in size: PixelSize) -> PixelSize {
        guard plane > 0, let chroma else { return size }
        return PixelSize(
            width: (size.width + chroma.columns - 1) / chroma.columns,
            height: (size.height + chroma.rows - 1) / chroma.rows)
    }

    var planes: Int { chroma == .gray ? 1 : 3 }

    var planeFormat: PixelFormat { PixelFormat(layout: .gray, depth: source.depth, alpha: .opaque) }

    /// The memory for a coded image while planes are shrunk: the whole, or a cell of a grid.
    var frameMemory: Int { source.workingMemory(of: grid?.cell ?? stored) }

    /// With the pixels at full size, or the planes as far as they are shrunk.
    func decodingMemory(target: PixelSize) -> Int {
        if scalesPlanes(to: target) {
            // Rows wait until the cells of their row are complete.
            let rows = PixelSize(
                width: size.width, height: grid.map { min(size.height, 2 * $0.cell.height) } ?? 0)
            return (0..<planes).reduce(frameMemory) {
                $0 + size(of: $1, in: rows).area * planeFormat.bytesPerPixel
                    + PixelBuffer.memoryOfRows(
                        size(of: $1, in: size), format: planeFormat, minimumSize: target.doubled)
            }
        }
        let pixels = stored.area * format.bytesPerPixel
        // The planes, which are larger, are gone when the pixels are turned.
        let colors = source.workingMemory + pixels
        guard let alpha else { return colors }
        // Alpha is scaled, turned and joined with the pixels in turn.
        let plane = max(alpha.source.size.area, stored.area) * alpha.source.depth.rawValue / 8
        return max(colors, 2 * pixels + 2 * plane + alpha.source.workingMemory)
    }
}
