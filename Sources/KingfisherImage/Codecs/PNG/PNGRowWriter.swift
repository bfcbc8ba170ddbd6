/// The rows of a picture as PNG stores them: straight alpha, and no alpha at all where every pixel is opaque.
final class PNGRowWriter {
    let colorType: PNGFileHeader.ColorType
    private let pixels: PixelBuffer
    private let row: UnsafeMutableRawBufferPointer

    /// `colorType` may have no alpha where all pixels are opaque, and no colour where they are grey.
    init(_ pixels: PixelBuffer, as colorType: PNGFileHeader.ColorType) {
        self.pixels = pixels
        self.colorType = colorType
        row = .allocate(
            byteCount: pixels.width * colorType.channels * pixels.bitsPerComponent / 8, alignment: 16)
    }

    /// The type with the fewest channels that keeps the picture, whose layout tells whether it is grey.
    static func colorType(of pixels: PixelBuffer) -> PNGFileHeader.ColorType {
        let opaque = pixels.isEntirelyOpaque
        return switch pixels.format.layout {
        case .gray: .gray
        case .grayAlpha: opaque ? .gray : .grayAlpha
        case .rgba: opaque ? .rgb : .rgba
        }
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
        let (channels, written) = (pixels.format.layout.channels, colorType.channels)
        guard written < channels || pixels.format.alpha == .premultiplied else {
            _ = target.update(from: source)
            return
        }
        let keepsAlpha = colorType.hasAlpha
        let divides = keepsAlpha && pixels.format.alpha == .premultiplied
        let colors = keepsAlpha ? written - 1 : written
        var (from, to) = (0, 0)
        while from < source.count {
            let alpha = source[from &+ channels &- 1]
            for channel in 0..<colors {
                let sample = source[from &+ channel]
                target[to &+ channel] = divides ? Self.straight(sample, alpha: alpha) : sample
            }
            if keepsAlpha { target[to &+ colors] = alpha }
            from &+= channels
            to &+= written
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
