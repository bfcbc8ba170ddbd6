import CKernels
public import Foundation
import Glibc

extension KingfisherWrapper where Base == Image {
    /// The image sharpened by an unsharp mask: each colour moves away from the mean around it by `amount`
    /// times the difference.
    ///
    /// The mean is a Gaussian whose standard deviation is `radius` pixels, clamped to 0.3...10; `amount` is
    /// clamped to 0...31. Edges are extended. Works on gamma-encoded sRGB; transparency is unchanged.
    ///
    /// The result is RGBA of the same depth and scale; an animation gives its first frame. Returns the image
    /// itself if `amount` is 0 or a number is NaN. Works on the caller's thread.
    public func sharpened(radius: CGFloat = 1, amount: CGFloat = 1) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard let mask = UnsharpMask(radius: radius, amount: amount) else { return nil }
            return try pixels.sharpened(mask)
        }
    }
}

/// The weights of a Gaussian in 256ths, and a factor in 1,024ths.
struct UnsharpMask: Hashable {
    let weights: [UInt8]
    let amount: Int32

    init?(radius: Double, amount: Double) {
        guard !radius.isNaN, !amount.isNaN, amount > 0 else { return nil }
        self.amount = Int32(min(amount, 31) * 1_024)
        let deviation = min(max(radius, 0.3), 10)
        var side: [Double] = []
        for distance in 0...Int(3 * deviation + 1) {
            side.append(exp(-Double(distance * distance) / (2 * deviation * deviation)))
        }
        let sum = 2 * side.reduce(0, +) - side[0]
        let rounded = side.map { UInt8(min(($0 / sum * 256).rounded(), 255)) }
        // At least one neighbour: the centre has at most 255.
        let outer = [max(rounded[1], 1)] + rounded[2...].prefix { $0 > 0 }
        let rest = outer.reduce(0) { $0 + 2 * Int($1) }
        weights = outer.reversed() + [UInt8(256 - rest)] + outer
    }
}

extension PixelBuffer {
    func sharpened(_ mask: UnsharpMask) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied(format.depth)
        let (width, taps, level) = (Int32(width), Int32(mask.weights.count), KernelLevel.current.native)
        switch format.depth {
        case .eight:
            let scratch = try Scratch(byteCount: kf_sharpen_scratch(width, taps))
            let line = scratch.samples(as: UInt16.self)
            return try source.sharpened(mask) { (rows, out: UnsafeMutablePointer<UInt8>) in
                kf_sharpen_row(level, rows, mask.weights, taps, width, mask.amount, line, out)
                if !source.format.isOpaque { kf_clamp_to_alpha8(level, out, self.width, 4) }
            }
        case .sixteen:
            let scratch = try Scratch(byteCount: kf_sharpen_scratch16(width, taps))
            let line = scratch.samples(as: Float.self)
            return try source.sharpened(mask) { (rows, out: UnsafeMutablePointer<UInt16>) in
                kf_sharpen_row16(rows, mask.weights, taps, width, mask.amount, line, out)
            }
        }
    }

    /// Calls `kernel` for each row, with the rows around it.
    private func sharpened<Sample>(
        _ mask: UnsharpMask,
        _ kernel: (UnsafePointer<UnsafePointer<Sample>>, UnsafeMutablePointer<Sample>) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        let taps = mask.weights.count
        return try PixelBuffer.decoding(size, format: format) { target, stride in
            for y in 0..<height {
                let rows = (0..<taps).map { tap in
                    (unsafeBase + min(max(y + tap - taps / 2, 0), height - 1) * bytesPerRow)
                        .assumingMemoryBound(to: Sample.self)
                }
                rows.withUnsafeBufferPointer { rows in
                    guard let rows = rows.baseAddress else { return }
                    kernel(rows, (target + y * stride).assumingMemoryBound(to: Sample.self))
                }
            }
        }
    }
}
