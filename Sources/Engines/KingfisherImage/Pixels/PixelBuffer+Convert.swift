import CKernels
import Glibc

extension PixelFormat {
    var premultiplied: PixelFormat { PixelFormat(layout: layout, depth: depth, alpha: .premultiplied) }

    /// Whether `target` can represent pixels of this format. Depth and alpha format may change, but colour
    /// and transparency must not be lost.
    func fits(in target: PixelFormat) -> Bool {
        target.layout.channels >= layout.channels && (isOpaque || !target.isOpaque)
    }
}

extension PixelBuffer {
    /// The image as opaque or premultiplied RGBA; itself if it has that format. Drawing works on this format,
    /// with the depth of the image.
    package func premultiplied(
        _ depth: PixelFormat.Depth = .eight
    ) throws(ImageCodecError) -> PixelBuffer {
        try converted(
            to: PixelFormat(layout: .rgba, depth: depth, alpha: format.isOpaque ? .opaque : .premultiplied))
    }

    /// The image in another format; itself if it has that format.
    ///
    /// Depth is rounded to nearest, and alpha is multiplied or divided at the greater depth. Throws
    /// `unsupported` if colour or transparency would be lost.
    public func converted(to target: PixelFormat) throws(ImageCodecError) -> PixelBuffer {
        if target == format { return self }
        guard format.fits(in: target) else {
            throw .unsupported("dropping colour or transparency")
        }
        let steps = PixelConversion(from: format, to: target).steps
        // Pieces of a row alternate between two buffers, and the last step writes to the new image. A row may
        // have a hundred million pixels.
        let piece = min(width, 4096)
        let pieceBytes = piece * 8
        let scratch = try Scratch(byteCount: steps.count > 1 ? pieceBytes * 2 : 0)
        return try PixelBuffer.decoding(size, format: target, extent: extent) { rows, targetStride in
            for y in 0..<height {
                for x in stride(from: 0, to: width, by: piece) {
                    let pixels = min(piece, width - x)
                    var source = unsafeBase + y * bytesPerRow + x * format.bytesPerPixel
                    let out = rows + y * targetStride + x * target.bytesPerPixel
                    for (index, step) in steps.enumerated() {
                        let last = index == steps.count - 1
                        let row =
                            last ? out : UnsafeMutableRawPointer(scratch.bytes + index % 2 * pieceBytes)
                        step.run(source, pixels: pixels, into: row)
                        source = UnsafeRawPointer(row)
                    }
                    // Only the format changes, for example from opaque to premultiplied.
                    if steps.isEmpty { memcpy(out, source, pixels * target.bytesPerPixel) }
                }
            }
        }
    }
}

struct PixelConversion {
    enum Step: Hashable {
        case widen(channels: Int)
        case narrow(channels: Int)
        case expand(from: Int, to: Int, PixelFormat.Depth)
        case premultiply(channels: Int, PixelFormat.Depth)
        case unpremultiply(channels: Int, PixelFormat.Depth)
    }

    let steps: [Step]

    /// Widening comes first and narrowing last, so that alpha is applied at the greater depth.
    init(from source: PixelFormat, to target: PixelFormat) {
        let (before, after) = (source.layout.channels, target.layout.channels)
        let depth: PixelFormat.Depth =
            source.depth == .sixteen || target.depth == .sixteen ? .sixteen : .eight
        var steps: [Step] = []
        if source.depth != depth { steps.append(.widen(channels: before)) }
        switch (source.alpha, target.alpha) {
        case (.straight, .premultiplied): steps.append(.premultiply(channels: before, depth))
        case (.premultiplied, .straight): steps.append(.unpremultiply(channels: before, depth))
        default: break
        }
        if before != after { steps.append(.expand(from: before, to: after, depth)) }
        if target.depth != depth { steps.append(.narrow(channels: after)) }
        self.steps = steps
    }
}

extension PixelConversion.Step {
    fileprivate func run(_ source: UnsafeRawPointer, pixels: Int, into target: UnsafeMutableRawPointer) {
        let source8 = source.assumingMemoryBound(to: UInt8.self)
        let source16 = source.assumingMemoryBound(to: UInt16.self)
        let target8 = target.assumingMemoryBound(to: UInt8.self)
        let target16 = target.assumingMemoryBound(to: UInt16.self)
        switch self {
        case .widen(let channels): kf_widen(source8, pixels * channels, target16)
        case .narrow(let channels): kf_narrow(source16, pixels * channels, target8)
        case .expand(let from, let to, .eight): kf_expand8(source8, pixels, Int32(from), Int32(to), target8)
        case .expand(let from, let to, .sixteen):
            kf_expand16(source16, pixels, Int32(from), Int32(to), target16)
        case .premultiply(4, .eight):
            kf_premultiply_rgba8(KernelLevel.current.native, source8, pixels, target8)
        case .premultiply(let channels, .eight): kf_premultiply8(source8, pixels, Int32(channels), target8)
        case .premultiply(let channels, .sixteen):
            kf_premultiply16(source16, pixels, Int32(channels), target16)
        case .unpremultiply(let channels, .eight):
            kf_unpremultiply8(source8, pixels, Int32(channels), target8)
        case .unpremultiply(let channels, .sixteen):
            kf_unpremultiply16(source16, pixels, Int32(channels), target16)
        }
    }
}
