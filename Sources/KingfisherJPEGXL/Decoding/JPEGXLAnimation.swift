import KingfisherCodecSupport

/// The frames of an animation; a step backwards needs a new decoder.
final class JPEGXLAnimation: SequentialFrameDecoder {
    private let file: PinnedFile
    private let frames: JPEGXLFrames

    static func open(
        _ file: PinnedFile, _ info: JPEGXLInfo
    ) throws(ImageCodecError) -> sending JPEGXLAnimation {
        try JPEGXLAnimation(file, info)
    }

    private init(_ file: PinnedFile, _ info: JPEGXLInfo) throws(ImageCodecError) {
        frames = try JPEGXLFrames(file.bytes, info)
        self.file = file
    }

    func canDecode(frame index: Int) -> Bool { index >= frames.position }

    func decode(frame index: Int, shrunkTo target: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        frames.skip(index - frames.position)
        let pixels = try frames.decodeNext(minimumSize: target?.doubled)
        guard let target else { return try pixels.finished() }
        return try pixels.resized(to: target).finished()
    }
}
