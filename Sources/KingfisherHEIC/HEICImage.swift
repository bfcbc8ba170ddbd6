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
    /// Whether the image is coded as a whole; libheif makes grids and other derived images.
    let isCoded: Bool
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

    var format: PixelFormat {
        PixelFormat(
            layout: .rgba, depth: bitsPerComponent > 8 ? .sixteen : .eight,
            alpha: hasAlpha ? .straight : .opaque)
    }

    /// Whether a decode to `target` never holds RGB pixels at full size.
    func scalesPlanes(to target: PixelSize?) -> Bool {
        guard let target else { return false }
        guard target.area < size.area, !hasAlpha, !isTurnedByLibrary, isCoded, let chroma else {
            return false
        }
        // A crop may begin within a chroma sample.
        return left % chroma.columns == 0 && top % chroma.rows == 0
    }

    /// The planes of libde265 and of libheif, and what libde265 notes of each block, at most 6 bytes a pixel.
    var workingMemory: Int {
        let bytes = 2 * (hasAlpha ? 4 : 3) * (bitsPerComponent > 8 ? 2 : 1) + 6
        let (product, overflow) = stored.area.multipliedReportingOverflow(by: bytes)
        return overflow ? .max : product
    }

    /// With the pixels at full size, twice if they must be turned, or the planes as far as they are shrunk.
    func decodingMemory(target: PixelSize?) -> Int {
        var pixels = stored.area * format.bytesPerPixel * (orientation == .up && isWhole ? 1 : 2)
        if let target, scalesPlanes(to: target) {
            let plane = PixelFormat(layout: .gray, depth: format.depth, alpha: .opaque)
            pixels = 3 * PixelBuffer.memoryOfRows(size, format: plane, minimumSize: target.doubled)
        }
        let (bytes, overflow) = workingMemory.addingReportingOverflow(pixels)
        return overflow ? .max : bytes
    }
}
