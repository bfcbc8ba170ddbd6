extension PixelBuffer {
    /// Draws the image over straight RGBA rows of the same depth, which must be large enough.
    func draw(over rows: UnsafeMutableRawPointer, bytesPerRow targetStride: Int) {
        for y in 0..<height {
            let (source, target) = (unsafeBase + y * bytesPerRow, rows + y * targetStride)
            switch format.depth {
            case .eight:
                Self.blend(
                    source.assumingMemoryBound(to: UInt8.self),
                    over: target.assumingMemoryBound(to: UInt8.self), pixels: width)
            case .sixteen:
                Self.blend(
                    source.assumingMemoryBound(to: UInt16.self),
                    over: target.assumingMemoryBound(to: UInt16.self), pixels: width)
            }
        }
    }

    /// The operator "over" for straight alpha (PNG, third edition, 13.16), each sample to the nearest level.
    private static func blend<Sample: FixedWidthInteger & UnsignedInteger>(
        _ source: UnsafePointer<Sample>, over target: UnsafeMutablePointer<Sample>, pixels: Int
    ) {
        let full = UInt64(Sample.max)
        for pixel in stride(from: 0, to: pixels * 4, by: 4) {
            let (front, back) = (UInt64(source[pixel &+ 3]), UInt64(target[pixel &+ 3]))
            if front == 0 { continue }
            if front == full || back == 0 {
                for channel in pixel..<pixel &+ 4 { target[channel] = source[channel] }
                continue
            }
            // Both weights and their sum, the alpha of the result, are scaled by the maximum level.
            let ours = front &* full
            let theirs = (full &- front) &* back
            let alpha = ours &+ theirs
            for channel in pixel..<pixel &+ 3 {
                let sum = UInt64(source[channel]) &* ours &+ UInt64(target[channel]) &* theirs
                target[channel] = Sample((sum &+ alpha / 2) / alpha)
            }
            target[pixel &+ 3] = Sample((alpha &+ full / 2) / full)
        }
    }
}
