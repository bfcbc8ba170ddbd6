extension PixelBuffer {
    func flattenedOverWhite() throws(ImageCodecError) -> PixelBuffer {
        let source = format
        if source.isOpaque, source.depth == .eight, source.layout != .grayAlpha { return self }
        let result: PixelFormat = source.layout == .rgba ? .rgba8Opaque : .gray8
        return try PixelBuffer.decoding(size, format: result) { rows, bytesPerRow in
            for y in 0..<height {
                let from = UnsafeRawBufferPointer(
                    start: unsafeBase + y * self.bytesPerRow, count: width * source.bytesPerPixel)
                let to = UnsafeMutableRawBufferPointer(
                    start: rows + y * bytesPerRow, count: width * result.bytesPerPixel)
                switch source.depth {
                case .eight: Self.flatten(from.bindMemory(to: UInt8.self), source, into: to, result)
                case .sixteen: Self.flatten(from.bindMemory(to: UInt16.self), source, into: to, result)
                }
            }
        }
    }

    private static func flatten<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: UnsafeBufferPointer<Sample>, _ source: PixelFormat,
        into output: UnsafeMutableRawBufferPointer, _ result: PixelFormat
    ) {
        let white = Int(Sample.max)
        let inputs = source.layout.channels
        let outputs = result.layout.channels
        for x in 0..<output.count / outputs {
            let pixel = x * inputs
            let alpha = source.isOpaque ? white : Int(samples[pixel + inputs - 1])
            for channel in 0..<min(outputs, 3) {
                let color = Int(samples[pixel + channel])
                let ink = source.alpha == .straight ? color * alpha : color * white
                let level = min((ink + (white - alpha) * white) / white, white)
                output[x * outputs + channel] = UInt8((level * 255 + white / 2) / white)
            }
            if outputs == 4 { output[x * outputs + 3] = 255 }
        }
    }
}
