import CKernels

/// How far an integer box filter shrinks an image before a better filter does the rest.
struct ShrinkPlan {
    let boxWidth: Int
    let boxHeight: Int
    /// The size in boxes, and the part of it that the image fills.
    let size: PixelSize
    let extent: PixelExtent

    let isCapped: Bool

    /// A column of a box is summed in 16 bits.
    private static let largestBox = 255

    /// Leaves at least `margin` times the target along each side.
    init(from source: PixelSize, to target: PixelSize, margin: Int) {
        self.init(from: source, extent: PixelExtent(source), to: target, margin: margin)
    }

    init(from source: PixelSize, extent: PixelExtent, to target: PixelSize, margin: Int) {
        self.init(
            of: source, extent: extent, boxWidth: max(1, source.width / (target.width * margin)),
            boxHeight: max(1, source.height / (target.height * margin)))
    }

    init(of source: PixelSize, boxWidth: Int, boxHeight: Int) {
        self.init(of: source, extent: PixelExtent(source), boxWidth: boxWidth, boxHeight: boxHeight)
    }

    init(of source: PixelSize, extent: PixelExtent, boxWidth: Int, boxHeight: Int) {
        isCapped = max(boxWidth, boxHeight) > Self.largestBox
        self.boxWidth = min(boxWidth, Self.largestBox)
        self.boxHeight = min(boxHeight, Self.largestBox)
        let across = SampledAxis(cells: source.width, extent: extent.width, box: self.boxWidth)
        let down = SampledAxis(cells: source.height, extent: extent.height, box: self.boxHeight)
        size = PixelSize(width: across.cells, height: down.cells)
        self.extent = PixelExtent(width: across.extent, height: down.extent)
    }
}

extension PixelBuffer {
    /// The averages of boxes of 8-bit samples, including narrower boxes at the right and bottom edges.
    func shrunk(by plan: ShrinkPlan) throws(ImageCodecError) -> PixelBuffer {
        if plan.boxWidth == 1 && plan.boxHeight == 1 { return self }
        let (level, channels) = (KernelLevel.current.native, format.layout.channels)
        let sums = try Scratch(byteCount: width * channels * 2)
        let source = unsafeBase.assumingMemoryBound(to: UInt8.self)
        return try PixelBuffer.decoding(plan.size, format: format, extent: plan.extent) {
            target, targetStride in
            for row in 0..<plan.size.height {
                let top = row * plan.boxHeight
                kf_shrink_row(
                    level, source + top * bytesPerRow, bytesPerRow, Int32(width),
                    Int32(min(plan.boxHeight, height - top)), Int32(plan.boxWidth), Int32(channels),
                    sums.samples(as: UInt16.self),
                    (target + row * targetStride).assumingMemoryBound(to: UInt8.self))
            }
        }
    }
}
