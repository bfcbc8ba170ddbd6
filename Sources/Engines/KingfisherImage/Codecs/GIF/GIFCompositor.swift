import Glibc

/// Draws a GIF's frames onto the canvas.
///
/// Pixels are opaque or fully transparent, so straight and premultiplied alpha are the same.
package struct GIFCompositor: FrameCompositor {
    let index: GIFIndex

    package var canvas: PixelSize { index.canvas }
    package let timing: AnimationTiming

    init(_ index: GIFIndex) {
        self.index = index
        timing = index.timing
    }

    package func isKeyFrame(_ number: Int) -> Bool {
        number == 0
            || index.frames[number].fills(index.canvas) && index.frames[number].control.disposal != .previous
    }

    private var format: PixelFormat { index.isOpaque ? .rgba8Opaque : .rgba8Premultiplied }

    package func compose(
        _ number: Int, of file: ByteReader, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer {
        let frame = index.frames[number]
        let colors = Self.colors(of: frame, in: file)
        let covers = frame.placement.covers(index.canvas)
        // Over an empty canvas, 0 is the correct pixel for the transparent index.
        let isOpaque = base == nil || frame.control.transparentIndex == nil
        return try PixelBuffer.decoding(index.canvas, format: format) {
            rows, bytesPerRow throws(ImageCodecError) in
            // Allocated after the canvas, so that the canvas can reuse a freed block.
            let raster = try GIFRaster(file, frame.placement)
            if !covers { fill(rows, bytesPerRow, from: base) }
            let (left, top) = (frame.placement.left, frame.placement.top)
            let width = min(frame.placement.size.width, index.canvas.width - left)
            guard width > 0 else { return }
            let under = covers ? base?.unsafeBase ?? UnsafeRawPointer(rows) : UnsafeRawPointer(rows)
            raster.forEachRow { y, indices in
                guard top + y < index.canvas.height else { return }
                let offset = (top + y) * bytesPerRow + left * 4
                let row = (rows + offset).assumingMemoryBound(to: UInt32.self)
                colors.withUnsafeBufferPointer { colors in
                    if isOpaque {
                        for x in 0..<width { row[x] = colors[Int(indices[x])] }
                    } else {
                        let under = (under + offset).assumingMemoryBound(to: UInt32.self)
                        for x in 0..<width {
                            let color = colors[Int(indices[x])]
                            row[x] = color == 0 ? under[x] : color
                        }
                    }
                }
            }
        }
    }

    private func fill(_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int, from base: PixelBuffer?) {
        if let base {
            memcpy(rows, base.unsafeBase, base.byteCount)
        } else {
            memset(rows, 0, bytesPerRow * index.canvas.height)
        }
    }

    package func base(
        after number: Int, shown: PixelBuffer, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer? {
        switch index.frames[number].control.disposal {
        case .keep: shown
        case .previous: base
        case .background: try clearing(index.frames[number].placement, in: shown)
        }
    }

    /// GIF has a background colour, but all viewers clear to transparent.
    private func clearing(
        _ placement: GIFPlacement, in shown: PixelBuffer
    ) throws(ImageCodecError) -> PixelBuffer? {
        let right = min(placement.left + placement.size.width, index.canvas.width)
        let bottom = min(placement.top + placement.size.height, index.canvas.height)
        guard right > placement.left, bottom > placement.top else { return shown }
        return try PixelBuffer.decoding(index.canvas, format: format) { rows, bytesPerRow in
            memcpy(rows, shown.unsafeBase, shown.byteCount)
            for y in placement.top..<bottom {
                memset(rows + y * bytesPerRow + placement.left * 4, 0, (right - placement.left) * 4)
            }
        }
    }

    private static func colors(of frame: GIFFrame, in reader: ByteReader) -> [UInt32] {
        (0..<256).map { index in
            if index == frame.control.transparentIndex { return 0 }
            guard let palette = frame.palette else {
                // The colours that GIF89a recommends, section 18 (e).
                return UInt32(littleEndian: index == 1 ? 0xFFFF_FFFF : 0xFF00_0000)
            }
            let offset = palette.offset + index * 3
            guard index < palette.count, let red = reader.uint8(at: offset),
                let green = reader.uint8(at: offset + 1), let blue = reader.uint8(at: offset + 2)
            else { return UInt32(littleEndian: 0xFF00_0000) }
            return UInt32(littleEndian: UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF << 24)
        }
    }
}
