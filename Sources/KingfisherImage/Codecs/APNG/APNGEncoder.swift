import Foundation

/// Writes an animation: every frame but the first is the rectangle in which it differs from the one before.
///
/// Two frames are in memory at a time; each is asked for twice, because the colour type stands at the
/// beginning.
struct APNGEncoder {
    private let frames: WritableFrames
    private let survey: APNGSurvey
    private var file = PNGAssembly()
    private var sequence: UInt32 = 0

    /// Throws where a frame cannot be decoded, or where they are of different sizes.
    init(_ frames: WritableFrames) throws(ImageCodecError) {
        self.frames = frames
        survey = try APNGSurvey(frames)
    }

    consuming func encode() throws(ImageCodecError) -> Data {
        var last = try pixels(at: 0)
        try begin(with: last)
        for number in 1..<frames.count {
            let pixels = try pixels(at: number)
            // A frame that changes nothing keeps its place and its delay for the price of one pixel.
            let area = ChangedArea(from: last, to: pixels) ?? ChangedArea(PixelSize(width: 1, height: 1))
            try append(area, of: pixels, number)
            last = pixels
        }
        file.append(.IEND)
        return file.data
    }

    private func pixels(at number: Int) throws(ImageCodecError) -> PixelBuffer {
        try frames.frame(at: number).converted(to: survey.pixelFormat)
    }

    /// The first frame is the default image, and its header the file's.
    private mutating func begin(with pixels: PixelBuffer) throws(ImageCodecError) {
        file = try PNGEncoder.begin(pixels, as: survey.colorType)
        file.append(.acTL, fields: animationControl)
        file.append(.fcTL, fields: frameControl(0, ChangedArea(pixels.size)))
        try append(.IDAT, pixels)
    }

    private mutating func append(
        _ area: ChangedArea, of pixels: PixelBuffer, _ number: Int
    ) throws(ImageCodecError) {
        let part = try pixels.cropped(x: area.left, y: area.top, width: area.width, height: area.height)
        file.append(.fcTL, fields: frameControl(number, area))
        try append(.fdAT, fields: nextNumber(), part)
    }

    private mutating func append(
        _ type: PNGChunkType, fields: [UInt8] = [], _ pixels: PixelBuffer
    ) throws(ImageCodecError) {
        let colorType = survey.colorType
        try file.append(type, fields: fields) { data throws(ImageCodecError) in
            try PNGEncoder.compress(pixels, as: colorType, into: &data)
        }
    }

    private var animationControl: [UInt8] {
        // Numbers in PNG have 31 bits.
        let plays = UInt32(min(max(frames.loopCount, 0), Int(Int32.max)))
        return UInt32(frames.count).bigEndianBytes + plays.bigEndianBytes
    }

    /// Pixels replace what was there, and stay.
    private mutating func frameControl(_ number: Int, _ area: ChangedArea) -> [UInt8] {
        let delay = APNGDelay(seconds: frames.duration(at: number))
        let disposal = UInt8(APNGFrameControl.Disposal.keep.rawValue)
        let blend = UInt8(APNGFrameControl.Blend.source.rawValue)
        let rectangle = [area.width, area.height, area.left, area.top]
        return nextNumber() + rectangle.flatMap { UInt32(clamping: $0).bigEndianBytes }
            + delay.numerator.bigEndianBytes + delay.denominator.bigEndianBytes + [disposal, blend]
    }

    private mutating func nextNumber() -> [UInt8] {
        defer { sequence += 1 }
        return sequence.bigEndianBytes
    }
}
