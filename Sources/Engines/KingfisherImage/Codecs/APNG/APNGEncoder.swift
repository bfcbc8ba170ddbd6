import Foundation

/// Encodes an animation; every frame after the first is the rectangle that differs from the previous frame.
///
/// Two frames are in memory at a time. Each is requested twice, because the colour type precedes the frames.
struct APNGEncoder {
    private let frames: WritableFrames
    private let survey: APNGSurvey
    private var file = PNGAssembly()
    private var sequence: UInt32 = 0

    init(_ frames: WritableFrames) throws(ImageCodecError) {
        self.frames = frames
        survey = try APNGSurvey(frames)
    }

    consuming func encode() throws(ImageCodecError) -> Data {
        var last = try pixels(at: 0)
        try begin(with: last)
        for number in 1..<frames.count {
            let pixels = try pixels(at: number)
            // An unchanged frame is written as one pixel, to keep its number and delay.
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
        // Integers in PNG have 31 bits.
        let plays = UInt32(min(max(frames.loopCount, 0), Int(Int32.max)))
        return UInt32(frames.count).bigEndianBytes + plays.bigEndianBytes
    }

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
