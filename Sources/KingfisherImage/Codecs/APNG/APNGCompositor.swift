import Foundation

/// Draws the frames of an animated PNG onto the canvas.
package struct APNGCompositor: FrameCompositor {
    let index: APNGIndex
    private let colors: ICCTransform?

    package var canvas: PixelSize { index.canvas }
    package let timing: AnimationTiming
    package var bytesPerPixel: Int { index.pixelFormat.bytesPerPixel }

    /// `colors` is the way from those of the file to sRGB; nil where they are that already.
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
        // On an empty canvas nothing shows through.
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
        // Before the first frame the canvas is empty, so that this is for the first frame what the standard
        // asks.
        case .previous: base
        case .background: control.covers(canvas) ? nil : try clearing(control, in: shown)
        }
    }

    /// Frames are drawn over each other in the file's colours, and those of the result converted.
    package func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer {
        var turned = try shown.upright(from: index.orientation)
        try colors?.convert(&turned)
        return turned
    }

    /// Whether nothing of the canvas is seen through the frame.
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
            // The index has found every chunk whole, so data that end early are damaged.
            throw .corrupt("a frame whose data end early")
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
