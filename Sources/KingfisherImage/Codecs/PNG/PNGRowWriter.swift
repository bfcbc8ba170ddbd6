/// The rows of a picture as PNG stores them: straight alpha, and no alpha at all where every pixel is opaque.
final class PNGRowWriter {
    let colorType: PNGFileHeader.ColorType
    private let pixels: PixelBuffer
    private let row: UnsafeMutableRawBufferPointer

    init(_ pixels: PixelBuffer) {
        self.pixels = pixels
        let opaque = pixels.isEntirelyOpaque
        colorType =
            switch pixels.format.layout {
            case .gray: .gray
            case .grayAlpha: opaque ? .gray : .grayAlpha
            case .rgba: opaque ? .rgb : .rgba
            }
        let channels = pixels.format.layout.channels - (opaque && pixels.format.layout != .gray ? 1 : 0)
        row = .allocate(byteCount: pixels.width * channels * pixels.bitsPerComponent / 8, alignment: 16)
    }

    deinit {
        row.deallocate()
    }

    /// Lends row `y` to `body`.
    func withRow<Result>(_ y: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        pixels.withUnsafeBytes { bytes in
            let rowBytes = pixels.width * pixels.format.bytesPerPixel
            let source = UnsafeRawBufferPointer(
                rebasing: bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + rowBytes])
            switch pixels.format.depth {
            case .eight: convert(source.bindMemory(to: UInt8.self), row.bindMemory(to: UInt8.self))
            case .sixteen: convert(source.bindMemory(to: UInt16.self), row.bindMemory(to: UInt16.self))
            }
            return body(UnsafeRawBufferPointer(row))
        }
    }

    @inline(__always)
    private func convert<Sample: FixedWidthInteger & UnsignedInteger>(
        _ source: UnsafeBufferPointer<Sample>, _ target: UnsafeMutableBufferPointer<Sample>
    ) {
        let channels = pixels.format.layout.channels
        let dropsAlpha = target.count < source.count
        guard dropsAlpha || pixels.format.alpha == .premultiplied else {
            _ = target.update(from: source)
            return
        }
        let colors = channels - 1
        var (from, to) = (0, 0)
        while from < source.count {
            let alpha = source[from &+ colors]
            for channel in 0..<colors {
                let sample = source[from &+ channel]
                target[to &+ channel] = dropsAlpha ? sample : Self.straight(sample, alpha: alpha)
            }
            if !dropsAlpha { target[to &+ colors] = alpha }
            from &+= channels
            to &+= dropsAlpha ? colors : channels
        }
    }

    /// The straight sample nearest to `sample` / `alpha`; 0 where nothing is left of the colour.
    @inline(__always)
    private static func straight<Sample: FixedWidthInteger & UnsignedInteger>(
        _ sample: Sample, alpha: Sample
    ) -> Sample {
        if alpha == .max || alpha == 0 { return alpha == 0 ? 0 : sample }
        let alpha = UInt64(alpha)
        return Sample(min((UInt64(sample) &* UInt64(Sample.max) &+ alpha / 2) / alpha, UInt64(Sample.max)))
    }
}
