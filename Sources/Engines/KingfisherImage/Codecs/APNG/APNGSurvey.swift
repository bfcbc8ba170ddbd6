/// The size and colour type of all frames together, because a file has one colour type.
struct APNGSurvey {
    let size: PixelSize
    private(set) var depth = PixelFormat.Depth.eight
    private var isOpaque = true
    private var isGray = true

    init(_ frames: WritableFrames) throws(ImageCodecError) {
        size = try frames.frame(at: 0).size
        try ImageLimits.current.check(size)
        for number in 0..<frames.count {
            let pixels = try frames.frame(at: number)
            guard pixels.size == size else { throw .unsupported("frames of different sizes") }
            if pixels.format.depth == .sixteen { depth = .sixteen }
            isOpaque = isOpaque && pixels.isEntirelyOpaque
            isGray = isGray && pixels.isEntirelyGray
        }
    }

    var colorType: PNGFileHeader.ColorType {
        switch (isGray, isOpaque) {
        case (true, true): .gray
        case (true, false): .grayAlpha
        case (false, true): .rgb
        case (false, false): .rgba
        }
    }

    var pixelFormat: PixelFormat { PixelFormat(layout: .rgba, depth: depth, alpha: .straight) }
}

extension PixelBuffer {
    fileprivate var isEntirelyGray: Bool {
        if format.layout != .rgba { return true }
        return withExtendedLifetime(self) {
            (0..<height).allSatisfy { y in
                let row = unsafeBase + y * bytesPerRow
                return switch format.depth {
                case .eight: Self.isGray(row.assumingMemoryBound(to: UInt8.self), pixels: width)
                case .sixteen: Self.isGray(row.assumingMemoryBound(to: UInt16.self), pixels: width)
                }
            }
        }
    }

    private static func isGray<Sample: FixedWidthInteger>(
        _ row: UnsafePointer<Sample>, pixels: Int
    ) -> Bool {
        stride(from: 0, to: pixels * 4, by: 4).allSatisfy { row[$0] == row[$0 + 1] && row[$0] == row[$0 + 2] }
    }
}
