import Foundation

package struct APNGCompositor: FrameCompositor {
    let index: APNGIndex
    private let colors: ICCTransform?

    package var canvas: PixelSize { index.canvas }
    package let timing: AnimationTiming
    package var bytesPerPixel: Int { index.pixelFormat.bytesPerPixel }

    init(_ index: APNGIndex, colors: ICCTransform? = nil) {
        self.index = index
        self.colors = colors
        timing = index.timing
    }

    package func isKeyFrame(_ number: Int) -> Bool {
        if number == 0 { return true }
        let (frame, before) = (index.frames[number].control, index.frames[number - 1].control)
        return frame.covers(canvas) && replaces(frame) && frame.disposal != .previous
            || before.covers(canvas) && before.disposal == .background
    }

    package func compose(
        _ number: Int, of file: ByteReader, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer {
        let frame = index.frames[number]
        let control = frame.control
        // An empty canvas needs no blending.
        let layer = base == nil || replaces(control) ? nil : try layer(frame, of: file)
        return try PixelBuffer.decoding(canvas, format: index.pixelFormat) {
            rows, bytesPerRow throws(ImageCodecError) in
            if let base {
                memcpy(rows, base.unsafeBase, base.byteCount)
            } else if !control.covers(canvas) {
                memset(rows, 0, bytesPerRow * canvas.height)
            }
            let place = rows + control.top * bytesPerRow + control.left * bytesPerPixel
            if let layer {
                layer.draw(over: place, bytesPerRow: bytesPerRow)
            } else {
                try decode(frame, of: file, into: place, bytesPerRow: bytesPerRow)
            }
        }
    }

    package func base(
        after number: Int, shown: PixelBuffer, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer? {
        let control = index.frames[number].control
        return switch control.disposal {
        case .keep: shown
        // For the first frame this is an empty canvas, as the standard requires.
        case .previous: base
        case .background: control.covers(canvas) ? nil : try clearing(control, in: shown)
        }
    }

    /// Frames are composed in the file's colours; only the result is converted.
    package func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer {
        var turned = try shown.upright(from: index.orientation)
        try colors?.convert(&turned)
        return turned
    }

    private func replaces(_ control: APNGFrameControl) -> Bool {
        control.blend == .source || !index.header.hasAlpha
    }

    private func layer(_ frame: APNGFrame, of file: ByteReader) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(frame.control.size, format: index.pixelFormat) {
            rows, bytesPerRow throws(ImageCodecError) in
            try decode(frame, of: file, into: rows, bytesPerRow: bytesPerRow)
        }
    }

    private func decode(
        _ frame: APNGFrame, of file: ByteReader, into rows: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageCodecError) {
        do {
            try index.file(of: frame, in: file).reading { reader throws(ImageCodecError) in
                try SPNGDecoder(reader, checksums: false).decode(
                    index.header(of: frame), as: index.pixelFormat, into: rows, bytesPerRow: bytesPerRow)
            }
        } catch .truncated {
            // The index found every chunk complete, so truncated data inside them are corrupt.
            throw .corrupt("a frame with truncated data")
        }
    }

    private func clearing(
        _ control: APNGFrameControl, in shown: PixelBuffer
    ) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(canvas, format: index.pixelFormat) { rows, bytesPerRow in
            memcpy(rows, shown.unsafeBase, shown.byteCount)
            for y in control.top..<control.top + control.size.height {
                memset(
                    rows + y * bytesPerRow + control.left * bytesPerPixel, 0,
                    control.size.width * bytesPerPixel)
            }
        }
    }
}
