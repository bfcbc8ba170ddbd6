import KingfisherCodecSupport
import KingfisherISOBoxes
import Synchronization

/// One AVIF file, whose structure libavif has read.
final class AVIFDecoder: ImageDecoder {
    private let file: EncodedFile
    private let info: AVIFInfo
    /// What has read the structure, until it is used for pixels: it holds planes afterwards.
    private let parsed: Mutex<AVIFFrames?>

    init(_ file: EncodedFile) throws(ImageCodecError) {
        let frames = try AVIFFrames(file)
        (self.file, info) = (file, frames.info)
        parsed = Mutex(frames)
    }

    var header: ImageHeader { info.header }

    /// To a smaller size, only planes are held at full size; otherwise the pixels are added.
    func memory(for target: DecodingTarget) -> Int {
        info.workingMemory + info.pixelMemory(for: target.size(of: header.displaySize))
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        let size = target.size(of: header.displaySize)
        try info.checkMemory(for: size, file.limits)
        return try takeFrames().decodeStill(shrunkTo: size)
    }

    func frames() throws(ImageCodecError) -> (any ImageFrameSource)? {
        guard let timing = header.timing else { return nil }
        try file.limits.check(frames: timing.durations.count, of: header.size)
        let source = SequentialFrameSource<AVIFFrames>(
            file.data, size: header.displaySize, timing: timing
        ) { () throws(ImageCodecError) in try self.takeFrames() }
        // The first frame is shown immediately, so its errors belong here.
        _ = try source.decodedFrame(at: 0)
        return source
    }

    /// EXIF, XMP, and the ICC profile or else the `nclx` code points.
    ///
    /// Reads the structure again, because libavif rejects a file with malformed EXIF if EXIF is requested.
    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        var blocks = try AVIFFrames(file, readsMetadata: true).metadataBlocks
        blocks.hasGainMap = AVIFGainMap(in: file.reader) != nil
        return blocks
    }

    private func takeFrames() throws(ImageCodecError) -> sending AVIFFrames {
        if let frames = parsed.withLock({ $0.take() }) { return frames }
        return try AVIFFrames(file)
    }
}
