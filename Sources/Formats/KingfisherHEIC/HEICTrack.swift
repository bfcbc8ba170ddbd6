import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes

/// A track of images that are coded with HEVC (sample entries `hvc1` and `hev1`: ISO/IEC 14496-15, 8.4).
struct HEICTrack {
    let samples: ISOSamples
    let parameterSets: HEICParameterSets
    /// The frames that a decoder holds at once, at most.
    let bufferedFrames: Int
    /// The size before transformations.
    let size: PixelSize
    let bitsPerComponent: Int
    let chroma: HEICImage.Chroma?
    let area: HEICArea
    let colors: HEICColors?

    /// Beside the frames for references, libde265 has one in work, one for a filter, and one to be shown.
    private static let otherFrames = 3
    private static let mostBufferedFrames = 16

    init(_ track: ISOTrack, in file: ByteReader) throws(ImageCodecError) {
        guard let entry = track.sampleEntry else { throw .corrupt("no frames") }
        guard entry.has("hvc1") || entry.has("hev1") else { throw HEICFile.unsupported(entry.has) }
        guard let content = entry.content, let width = content.uint16(at: 24, bigEndian: true),
            let height = content.uint16(at: 26, bigEndian: true),
            let configuration = content.box("hvcC", from: ISOTrack.visualEntryLength),
            let format = configuration.uint8(at: 16), let bits = configuration.uint8(at: 17),
            let sets = HEICParameterSets(configuration)
        else { throw .corrupt("malformed description of frames") }
        size = PixelSize(width: width, height: height)
        try file.limits.check(size)
        parameterSets = sets
        let buffered = sets.sequence?.bufferedFrames ?? Self.mostBufferedFrames
        bufferedFrames = min(buffered, Self.mostBufferedFrames) + Self.otherFrames
        bitsPerComponent = bits & 7 + 8
        chroma = HEICImage.Chroma(rawValue: format & 3)
        var clap: ISOBox?
        content.eachBox(from: ISOTrack.visualEntryLength) { box in
            if box.has("clap") { clap = box }
            return clap == nil
        }
        area = HEICArea(of: size, clap: clap, track.turns)
        colors = HEICColors(content.boxes("colr", from: ISOTrack.visualEntryLength))
        samples = try ISOSamples(track, in: file)
    }

    /// The planes that libde265 holds, and what it notes of each block, at most 6 bytes a pixel.
    var bufferMemory: Int {
        // Twice the samples of a pixel; sides have 16 bits, so nothing overflows.
        let halves = chroma == .gray ? 2 : 2 + 4 / ((chroma?.columns ?? 1) * (chroma?.rows ?? 1))
        return bufferedFrames * size.area * (halves * (bitsPerComponent > 8 ? 2 : 1) + 12) / 2
    }
}

/// The frames of a file that shows a sequence (ISO/IEC 23008-12, 7): a track, and another one with its alpha.
struct HEICSequence {
    let file: EncodedFile
    let colors: HEICTrack
    let alpha: HEICTrack?
    /// What each frame is.
    let image: HEICImage
    let timing: AnimationTiming

    /// Nil for a still: files with items whose main brand is not of sequences show their primary image.
    init?(_ file: EncodedFile) throws(ImageCodecError) {
        let (reader, tracks) = (file.reader, ISOTrack.all(in: file.reader))
        guard HEICFile.matches(reader), let track = tracks.first(where: { $0.has(handler: "pict") }),
            Self.isMain(in: reader) || reader.box("meta") == nil
        else { return nil }
        if ISOBox.isTruncated(reader) { throw .truncated }
        self.file = file
        colors = try HEICTrack(track, in: reader)
        let other = tracks.first { other in
            guard let number = track.number, other.has(handler: "auxv") else { return false }
            let type = other.sampleEntry?.content?.box("auxi", from: ISOTrack.visualEntryLength)
            return other.references("auxl").contains(number) && type.map(HEICFile.isAlpha) ?? false
        }
        var alpha: HEICTrack?
        if let other {
            let track = try HEICTrack(other, in: reader)
            guard track.samples.shown.count == colors.samples.shown.count else {
                throw .corrupt("another number of frames of alpha")
            }
            alpha = track
        }
        self.alpha = alpha
        let isPremultiplied = other?.number.map { track.references("prem").contains($0) } ?? false
        image = HEICImage(
            colors, alpha: alpha.map { HEICAlpha($0, isPremultiplied: isPremultiplied) })
        try reader.limits.check(image.stored, format: image.format)
        if colors.samples.shown.count > 1 {
            try reader.limits.check(canvas: image.stored, format: image.format)
        }
        timing = AnimationTiming(
            durations: colors.samples.durations.map { Self.seconds($0, of: track.timescale) },
            loopCount: track.loopCount)
    }

    private static func isMain(in reader: ByteReader) -> Bool {
        let brands: [StaticString] = ["msf1", "hevc", "hevx", "hevm", "hevs"]
        return brands.contains { reader.has($0, at: 8) }
    }

    /// 0.1 as players show a frame without a duration.
    private static func seconds(_ duration: Int, of timescale: Int?) -> TimeInterval {
        guard let timescale, timescale > 0, duration > 0 else { return 0.1 }
        return Double(duration) / Double(timescale)
    }

    /// With the frames that libde265 holds beside one.
    func memory(target: PixelSize) -> Int {
        [colors, alpha].compactMap(\.self).reduce(image.decodingMemory(target: target)) {
            $0 + $1.bufferMemory
        }
    }
}
