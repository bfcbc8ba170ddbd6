import KingfisherCodecSupport
import KingfisherISOBoxes

/// The part of an image that is shown, as stored, and how it is turned.
struct HEICArea {
    /// The size of the image before transformations.
    let stored: PixelSize
    private(set) var left = 0
    private(set) var top = 0
    /// The size of the part, as stored.
    private(set) var size: PixelSize
    private var turns = ISOTurns()

    init(of stored: PixelSize) { (self.stored, size) = (stored, stored) }

    /// The clean aperture of a track (`clap`), turned as its matrix says.
    init(of stored: PixelSize, clap: ISOBox?, _ turns: ISOTurns) {
        self.init(of: stored)
        if let clap { apply(clap) }
        self.turns = turns
    }

    var isWhole: Bool { size == stored }
    var orientation: Image.Orientation { turns.orientation }
    var displaySize: PixelSize { orientation.swapsSides ? size.swapped : size }

    /// Applies `clap`, `irot` or `imir`.
    mutating func apply(_ transformation: ISOBox) {
        guard let content = transformation.content else { return }
        if transformation.has("irot"), let angle = content.uint8(at: 0) {
            turns.rotate(angle & 3)
        } else if transformation.has("imir"), let axis = content.uint8(at: 0) {
            turns.reflect(axis & 1)
        } else if transformation.has("clap") {
            crop(content)
        }
    }

    private mutating func crop(_ content: ByteReader) {
        let fields = (0..<8).compactMap { content.uint32(at: $0 * 4, bigEndian: true) }.map(UInt32.init)
        let shown = displaySize
        guard fields.count == 8,
            let columns = CleanAperture.span(of: shown.width, fields[0], fields[1], fields[4], fields[5]),
            let rows = CleanAperture.span(of: shown.height, fields[2], fields[3], fields[6], fields[7])
        else { return }
        let swaps = orientation.swapsSides
        let (across, down) = swaps ? (rows, columns) : (columns, rows)
        let isReversed = orientation.isReversed
        left += isReversed.columns ? size.width - across.upperBound : across.lowerBound
        top += isReversed.rows ? size.height - down.upperBound : down.lowerBound
        size = PixelSize(width: across.count, height: down.count)
    }

    /// Whether both show the same part, to a pixel of this image, turned alike.
    func shows(sameAs other: HEICArea) -> Bool {
        func differ(_ own: Int, of side: Int, _ theirs: Int, of whole: Int) -> Bool {
            // Products of sides have less than 64 bits.
            abs(own * whole - theirs * side) > whole
        }
        return orientation == other.orientation
            && !differ(left, of: stored.width, other.left, of: other.stored.width)
            && !differ(top, of: stored.height, other.top, of: other.stored.height)
            && !differ(size.width, of: stored.width, other.size.width, of: other.stored.width)
            && !differ(size.height, of: stored.height, other.size.height, of: other.stored.height)
    }
}

extension Image.Orientation {
    /// Whether stored columns or rows are shown in the opposite order.
    fileprivate var isReversed: (columns: Bool, rows: Bool) {
        switch self {
        case .up, .leftMirrored: (false, false)
        case .upMirrored, .left: (true, false)
        case .downMirrored, .right: (false, true)
        case .down, .rightMirrored: (true, true)
        }
    }
}
