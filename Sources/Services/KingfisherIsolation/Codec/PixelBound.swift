import KingfisherImage

/// The size that the pixels of a decoder must have.
enum PixelBound: Hashable, Sendable {
    case exactly(PixelSize)
    /// On each side.
    case atMost(PixelSize)

    /// For the first frame of an image with this header.
    init(_ target: DecodingTarget, of header: ImageHeader) {
        self =
            switch target {
            case .full: .exactly(header.displaySize)
            case .atLeast: .atMost(header.largestSize)
            case .exactly(let size): .exactly(size)
            }
    }

    private var largest: PixelSize {
        switch self {
        case .exactly(let size), .atMost(let size): size
        }
    }

    func allows(_ size: PixelSize) -> Bool {
        switch self {
        case .exactly(let expected): size == expected
        case .atMost(let largest): size.width <= largest.width && size.height <= largest.height
        }
    }

    /// The most bytes that pixels of an image with this header take. Saturates.
    func byteCount(of header: ImageHeader) -> Int {
        let format = PixelFormat(
            layout: .rgba, depth: header.bitsPerComponent > 8 ? .sixteen : .eight, alpha: .straight)
        return PixelShape(size: largest, format: format, extent: PixelExtent(largest)).byteCount
    }
}
