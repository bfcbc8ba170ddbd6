import Glibc
import KingfisherCodecSupport

/// Draws a WebP animation's frames onto the canvas, byte for byte as libwebp's WebPAnimDecoder does.
///
/// The base of a frame is the previous image as shown. The area of a frame that disposes to the background is
/// cleared when the next one is drawn, which saves a canvas. Frames are blended in the file's colours; only
/// the result is converted.
struct WebPCompositor: FrameCompositor {
    let canvas: PixelSize
    let timing: AnimationTiming
    private let frames: [WebPFrame]
    private let keyFrames: [Bool]
    private let format: PixelFormat
    private let orientation: Image.Orientation
    private let colors: ICCTransform?

    init(_ file: WebPFile, colors: ICCTransform?) {
        canvas = file.canvas
        timing = file.timing ?? AnimationTiming(durations: file.frames.map(\.duration), loopCount: 1)
        frames = file.frames
        keyFrames = Self.keyFrames(of: file)
        format = file.format
        orientation = file.orientation
        self.colors = colors
    }

    func isKeyFrame(_ number: Int) -> Bool { keyFrames[number] }

    func compose(
        _ number: Int, of file: ByteReader, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer {
        let frame = frames[number]
        let bitstream = try WebPBitstream(frame, of: file)
        let base = keyFrames[number] ? nil : base
        let cleared = number > 0 && frames[number - 1].disposesToBackground ? frames[number - 1] : nil
        return try PixelBuffer.decoding(canvas, format: format) {
            rows, bytesPerRow throws(ImageCodecError) in
            if !frame.fills(canvas) {
                if let base {
                    base.withRows { rows.copyMemory(from: $0, byteCount: base.byteCount) }
                    if let cleared { Self.clear(cleared, in: rows, bytesPerRow) }
                } else {
                    memset(rows, 0, bytesPerRow * canvas.height)
                }
            }
            try bitstream.decode(
                to: frame.size, into: rows + frame.top * bytesPerRow + frame.left * 4,
                bytesPerRow: bytesPerRow)
            if let base, frame.blends, frame.hasAlpha {
                base.withRows { base in
                    Self.blend(frame, in: rows, over: base, bytesPerRow: bytesPerRow, except: cleared)
                }
            }
        }
    }

    func base(
        after number: Int, shown: PixelBuffer, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer? {
        keyFrames.indices.contains(number + 1) && !keyFrames[number + 1] ? shown : nil
    }

    func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer {
        var turned = try shown.upright(from: orientation)
        try colors?.convert(&turned)
        return turned
    }

    /// Whether each frame is independent of earlier ones: it covers the canvas, or is drawn over a cleared
    /// canvas.
    private static func keyFrames(of file: WebPFile) -> [Bool] {
        var previous: (frame: WebPFrame, isKey: Bool)?
        return file.frames.map { frame in
            let covers = frame.fills(file.canvas) && (!frame.hasAlpha || !frame.blends)
            let followsNothing =
                previous.map { $0.frame.disposesToBackground && ($0.isKey || $0.frame.fills(file.canvas)) }
                ?? true
            let isKey = covers || followsNothing
            previous = (frame, isKey)
            return isKey
        }
    }

    private static func clear(_ frame: WebPFrame, in rows: UnsafeMutableRawPointer, _ bytesPerRow: Int) {
        for y in frame.rows { memset(rows + y * bytesPerRow + frame.left * 4, 0, frame.size.width * 4) }
    }

    private static func blend(
        _ frame: WebPFrame, in rows: UnsafeMutableRawPointer, over base: UnsafeRawPointer, bytesPerRow: Int,
        except cleared: WebPFrame?
    ) {
        for y in frame.rows {
            func blend(_ columns: Range<Int>) {
                let offset = y * bytesPerRow + columns.lowerBound * 4
                StraightBlend.row(
                    (rows + offset).assumingMemoryBound(to: UInt32.self),
                    over: (base + offset).assumingMemoryBound(to: UInt32.self), count: columns.count)
            }
            let columns = frame.left..<frame.right
            if let cleared, cleared.rows.contains(y) {
                let empty = (cleared.left..<cleared.right).clamped(to: columns)
                guard !empty.isEmpty else {
                    blend(columns)
                    continue
                }
                blend(columns.lowerBound..<empty.lowerBound)
                blend(empty.upperBound..<columns.upperBound)
            } else {
                blend(columns)
            }
        }
    }
}
