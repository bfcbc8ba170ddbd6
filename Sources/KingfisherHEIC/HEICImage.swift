import KingfisherCodecSupport
import KingfisherISOBoxes

/// An image of a file by its header: size, and the transformations that make it upright.
struct HEICImage {
    /// `chroma_format_idc` of ITU-T H.265, table 6-1.
    enum Chroma: Int {
        case gray, half420, half422, full

        /// How many pixels share a sample along each axis.
        var columns: Int { self == .half420 || self == .half422 ? 2 : 1 }
        var rows: Int { self == .half420 ? 2 : 1 }
    }

    let item: Int
    let chroma: Chroma?
    /// Whether the image is coded as a whole.
    let isCoded: Bool
    /// The cells of a grid; nil for other images, which libheif makes unless they are coded as a whole.
    let grid: HEICGrid?
    /// The size of the coded image.
    let stored: PixelSize
    /// The part of it that is shown.
    let left: Int
    let top: Int
    let size: PixelSize
    let orientation: Image.Orientation
    /// A crop that follows a rotation is left to libheif, which turns the whole image for it.
    let isTurnedByLibrary: Bool
    let hasAlpha: Bool
    let bitsPerComponent: Int
    /// The largest of the images that it is made of, such as cells, which may exceed it; empty without any.
    let largestPart: PixelSize

    /// The primary image, or its thumbnail.
    init(_ item: Int, of file: HEICFile) throws(ImageCodecError) {
        guard let stored = file.size(of: item) else { throw .corrupt("no size") }
        try ImageLimits.check(stored)
        var area = Area(size: stored)
        for property in file.properties(of: item) { area.apply(property) }
        self.item = item
        self.stored = stored
        (left, top, size) = (area.left, area.top, area.size)
        orientation = area.turns.orientation
        isTurnedByLibrary = area.isTurnedByLibrary
        chroma = file.chroma(of: item)
        isCoded = file.has("hvc1", item) || file.has("hev1", item)
        grid = HEICGrid(item, of: file, size: stored)
        largestPart = file.largestPart(of: item)
        hasAlpha = file.hasAlpha(item)
        bitsPerComponent = file.bitsPerComponent(of: item)
    }

    private struct Area {
        var (left, top) = (0, 0)
        var size: PixelSize
        var turns = ISOTurns()
        var isTurnedByLibrary = false

        init(size: PixelSize) { self.size = size }

        mutating func apply(_ property: ISOBox) {
            guard let content = property.content else { return }
            if property.has("irot"), let angle = content.uint8(at: 0) {
                turns.rotate(angle & 3)
            } else if property.has("imir"), let axis = content.uint8(at: 0) {
                turns.reflect(axis & 1)
            } else if property.has("clap") {
                crop(content)
            }
        }

        private mutating func crop(_ content: ByteReader) {
            let fields = (0..<8).compactMap { content.uint32(at: $0 * 4, bigEndian: true) }.map(UInt32.init)
            guard fields.count == 8 else { return }
            if turns.orientation != .up { isTurnedByLibrary = true }
            let whole = turns.orientation.swapsSides ? size.swapped : size
            guard
                let columns = CleanAperture.span(
                    of: whole.width, fields[0], fields[1], fields[4], fields[5]),
                let rows = CleanAperture.span(
                    of: whole.height, fields[2], fields[3], fields[6], fields[7])
            else { return }
            let part = PixelSize(width: columns.count, height: rows.count)
            if isTurnedByLibrary { return size = turns.orientation.swapsSides ? part.swapped : part }
            (left, top, size) = (left + columns.lowerBound, top + rows.lowerBound, part)
        }
    }

    var displaySize: PixelSize { orientation.swapsSides ? size.swapped : size }
    var isWhole: Bool { size == stored }
    /// The limit for coded images.
    var largest: PixelSize { largestPart.area > stored.area ? largestPart : stored }

    var format: PixelFormat {
        PixelFormat(
            layout: .rgba, depth: bitsPerComponent > 8 ? .sixteen : .eight,
            alpha: hasAlpha ? .straight : .opaque)
    }

    /// Whether a decode to `target` never holds RGB pixels at full size.
    func scalesPlanes(to target: PixelSize?) -> Bool {
        guard let target, let chroma, target.area < size.area, !hasAlpha, !isTurnedByLibrary else {
            return false
        }
        guard isCoded || grid != nil else { return false }
        // A crop or a cell may begin within a chroma sample.
        let isAligned = grid.map {
            $0.cell.width % chroma.columns == 0 && $0.cell.height % chroma.rows == 0
        }
        return isAligned != false && left % chroma.columns == 0 && top % chroma.rows == 0
    }

    /// The planes of libde265 and of libheif for `size`, and what libde265 notes of each block, at most 6
    /// bytes a pixel.
    private func workingMemory(of size: PixelSize) -> Int {
        let bytes = 2 * (hasAlpha ? 4 : 3) * (bitsPerComponent > 8 ? 2 : 1) + 6
        let (product, overflow) = size.area.multipliedReportingOverflow(by: bytes)
        return overflow ? .max / 4 : min(product, .max / 4)
    }

    /// The size of a plane of an image, from 0 for luma on.
    func size(of plane: Int, in size: PixelSize) -> PixelSize {
        guard plane > 0, let chroma else { return size }
        return PixelSize(
            width: (size.width + chroma.columns - 1) / chroma.columns,
            height: (size.height + chroma.rows - 1) / chroma.rows)
    }

    var planes: Int { chroma == .gray ? 1 : 3 }

    var planeFormat: PixelFormat { PixelFormat(layout: .gray, depth: format.depth, alpha: .opaque) }

    /// The memory for a coded image while planes are shrunk: the whole, or a cell of a grid.
    var frameMemory: Int { workingMemory(of: grid?.cell ?? stored) }

    /// With the pixels at full size, twice if they must be turned, or the planes as far as they are shrunk.
    func decodingMemory(target: PixelSize?) -> Int {
        if let target, scalesPlanes(to: target) {
            // Rows wait until the cells of their row are complete.
            let rows = PixelSize(
                width: size.width, height: grid.map { min(size.height, 2 * $0.cell.height) } ?? 0)
            return (0..<planes).reduce(frameMemory) {
                $0 + size(of: $1, in: rows).area * planeFormat.bytesPerPixel
                    + PixelBuffer.memoryOfRows(
                        size(of: $1, in: size), format: planeFormat, minimumSize: target.doubled)
            }
        }
        let pixels = stored.area * format.bytesPerPixel * (orientation == .up && isWhole ? 1 : 2)
        // libheif has the whole image beside the one that is being decoded for it.
        let hasOwnPart = isCoded && largestPart.area <= stored.area
        return pixels + workingMemory(of: stored) + (hasOwnPart ? 0 : workingMemory(of: largestPart))
    }
}
