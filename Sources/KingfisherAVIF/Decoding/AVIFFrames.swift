import KingfisherCodecSupport

/// The frames of a sequence; a step backwards decodes from the nearest key frame.
final class AVIFFrames: SequentialFrameDecoder {
    private let file: PinnedFile
    private let decoder: AVIFDecoder
    private let size: PixelSize

    static func open(
        _ file: PinnedFile, _ header: ImageHeader
    ) throws(ImageCodecError) -> sending AVIFFrames {
        try AVIFFrames(file, header)
    }

    private init(_ file: PinnedFile, _ header: ImageHeader) throws(ImageCodecError) {
        decoder = try AVIFDecoder(file.bytes)
        self.file = file
        size = header.displaySize
    }

    func decode(frame index: Int, shrunkTo target: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try decoder.decode(frame: index).pixels(shrunkTo: target ?? size).finished()
    }
}
