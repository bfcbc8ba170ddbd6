import CHEIF
import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes

/// A HEIF sequence, whose tracks have been read.
struct HEICSequenceDecoder: ImageDecoder {
    private let sequence: HEICSequence

    init(_ sequence: HEICSequence) { self.sequence = sequence }

    private var image: HEICImage { sequence.image }

    var header: ImageHeader {
        var header = image.header
        if sequence.timing.durations.count > 1 { header.timing = sequence.timing }
        return header
    }

    func memory(for target: DecodingTarget) -> Int {
        sequence.memory(target: target.size(of: image.displaySize))
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try HEICFrames(sequence).decode(frame: 0, shrunkTo: target.size(of: image.displaySize))
    }

    func frames() throws(ImageCodecError) -> (any ImageFrameSource)? {
        guard let timing = header.timing else { return nil }
        try sequence.file.limits.check(frames: timing.durations.count, of: header.size)
        let source = SequentialFrameSource<HEICFrames>(
            sequence.file.data, size: image.displaySize, timing: timing
        ) { [sequence] () throws(ImageCodecError) in HEICFrames(sequence) }
        // The first frame is shown immediately, so its errors belong here.
        _ = try source.decodedFrame(at: 0)
        return source
    }

    /// EXIF and XMP of the still image, if there is one, and the colours of the frames.
    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        if sequence.file.reader.box("meta") != nil, let still = try? HEICFile(sequence.file),
            let image = try? HEICImage(still.primary, of: still)
        {
            blocks = try still.metadataBlocks(of: image)
            (blocks.profile, blocks.codePoints) = (nil, nil)
        }
        blocks.channels = image.hasAlpha ? 4 : 3
        try sequence.colors.colors?.keep(in: &blocks, sequence.file.limits)
        return blocks
    }
}

/// Decodes the frames of a sequence in order. Not for concurrent use.
final class HEICFrames: SequentialFrameDecoder {
    private let sequence: HEICSequence
    private let colors: HEICStream
    private let alpha: HEICStream?
    /// The first frame that can still be decoded.
    private var next = 0

    init(_ sequence: HEICSequence) {
        self.sequence = sequence
        colors = HEICStream(sequence.colors)
        alpha = sequence.alpha.map(HEICStream.init)
    }

    func canDecode(frame index: Int) -> Bool { index >= next }

    func decode(frame index: Int, shrunkTo target: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        let (image, limits) = (sequence.image, sequence.file.limits)
        let size = target ?? image.displaySize
        try limits.check(frameBytes: sequence.memory(target: size), beside: 0)
        next = index + 1
        let orientation = image.area.orientation
        let stored = orientation.swapsSides ? size.swapped : size
        // Averages are weighted by alpha, which is joined at full size.
        let shrink = HEICPlaneShrink(image, to: image.hasAlpha ? image.size : stored)
        guard try fill(shrink, from: colors, index) else {
            throw .unsupported("the matrix of the colours of a sequence")
        }
        let transform = try sequence.colors.colors?.transform(image.source.depth, limits)
        let pixels = try shrink.pixels()
        guard let alpha, let area = image.alpha, let track = sequence.alpha else {
            return try DecodedPixels(pixels, colors: transform).upright(from: orientation).finished()
        }
        let plane = HEICPlaneShrink(HEICImage(track, alpha: nil), to: track.size)
        _ = try fill(plane, from: alpha, index)
        guard let luma = plane.luma else { throw .corrupt("no alpha") }
        let whole = try pixels.upright(from: orientation)
            .withAlpha(area.upright(luma, of: image), as: image.format)
        return try DecodedPixels(whole.resized(to: size), colors: transform).finished()
    }

    private func fill(
        _ shrink: HEICPlaneShrink, from stream: HEICStream, _ index: Int
    ) throws(ImageCodecError) -> Bool {
        try shrink.fill { () throws(ImageCodecError) in
            try stream.take(index, into: shrink)
            try shrink.checkFrame()
            shrink.findMatrix(codePoints: stream.track.colors?.codePoints)
        }
    }
}

/// libde265's decoder of a track, which starts where decoding can begin. Not for concurrent use.
private final class HEICStream {
    let track: HEICTrack
    private var stream: OpaquePointer?
    /// The sample that is added next; one above their number after the end.
    private var next = 0

    init(_ track: HEICTrack) { self.track = track }

    deinit { kf_heif_close_stream(stream) }

    /// Decodes the frame that is shown at `place`, counted from 0.
    func take(_ place: Int, into shrink: HEICPlaneShrink) throws(ImageCodecError) {
        _ = try HEICLibrary.functions
        let samples = track.samples
        let start = samples.sync(before: samples.shown[place])
        if stream == nil || start > next { try open(at: start) }
        if try advance(to: place, shrink) { return }
        // Frames that follow the start, yet are shown before it, may refer to earlier ones.
        guard start > 0 else { throw .corrupt("frame \(place) is missing") }
        try open(at: samples.sync(before: start - 1))
        guard try advance(to: place, shrink) else { throw .corrupt("frame \(place) is missing") }
    }

    private func open(at sample: Int) throws(ImageCodecError) {
        kf_heif_close_stream(stream)
        stream = track.parameterSets.data.withUnsafeBytes { kf_heif_open_stream($0.baseAddress, $0.count) }
        guard stream != nil else { throw .outOfMemory }
        next = sample
    }

    private func advance(to place: Int, _ shrink: HEICPlaneShrink) throws(ImageCodecError) -> Bool {
        guard let stream else { return false }
        var work = shrink.work
        work.frames = Int32(track.bufferedFrames)
        let isTaken = withUnsafeMutablePointer(to: &work) { work in
            kf_heif_set_work(work)
            defer { kf_heif_set_work(nil) }
            while true {
                let result = kf_heif_take_place(stream, Int64(place))
                guard result == 0, addSample(to: stream) else { return result == 1 }
            }
        }
        guard work.refused == 0 else { throw .corrupt("a coded image larger than declared") }
        return isTaken
    }

    /// False after the end, or if the sample is malformed.
    private func addSample(to stream: OpaquePointer) -> Bool {
        let samples = track.samples.samples
        defer { next += 1 }
        guard next < samples.count else {
            return next == samples.count && kf_heif_add_sample(stream, nil, 0, 4, 0) != 0
        }
        let (bytes, lengthBytes) = (samples[next].bytes, track.parameterSets.lengthBytes)
        return kf_heif_add_sample(
            stream, bytes.bytes.baseAddress, bytes.count, Int32(lengthBytes), Int64(samples[next].place)) != 0
    }
}
