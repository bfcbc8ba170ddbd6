package import KingfisherCodecSupport

/// A track of a movie (`trak`: ISO/IEC 14496-12, 8.3) in untrusted bytes.
package struct ISOTrack: Sendable {
    /// The content of `tkhd`.
    private let header: ByteReader
    private let track: ByteReader
    private let isLong: Bool

    /// The tracks of a file, without those that have no header.
    package static func all(in reader: ByteReader) -> [ISOTrack] {
        (reader.box("moov")?.boxes("trak") ?? []).compactMap(ISOTrack.init)
    }

    private init?(_ track: ByteReader) {
        guard let header = track.box("tkhd"), let version = header.uint8(at: 0) else { return nil }
        (self.track, self.header, isLong) = (track, header, version == 1)
    }

    /// What `tref` of other tracks names; nil without it.
    package var number: Int? { header.uint32(at: isLong ? 20 : 12, bigEndian: true) }

    package func has(handler: StaticString) -> Bool {
        track.box("mdia")?.box("hdlr")?.has(handler, at: 8) ?? false
    }

    /// The size of the presentation, rounded down: 16.16 fixed point at the end of `tkhd`.
    package var size: PixelSize? {
        guard let width = header.uint32(at: header.count - 8, bigEndian: true),
            let height = header.uint32(at: header.count - 4, bigEndian: true)
        else { return nil }
        return PixelSize(width: width >> 16, height: height >> 16)
    }

    /// The quarter turns and reflections of the matrix (`tkhd`: 8.3.2); none for other matrices.
    package var turns: ISOTurns {
        let fields = [44, 40, 32, 28].map { header.uint32(at: header.count - $0, bigEndian: true) ?? 0 }
        let signs = fields.map { Int32(truncatingIfNeeded: $0) >> 16 }
        var turns = ISOTurns()
        switch (signs[0], signs[1], signs[2], signs[3]) {
        case (0, 1, -1, 0): turns.rotate(3)
        case (-1, 0, 0, -1): turns.rotate(2)
        case (0, -1, 1, 0): turns.rotate(1)
        case (-1, 0, 0, 1): turns.reflect(1)
        case (1, 0, 0, -1): turns.reflect(0)
        case (0, 1, 1, 0):
            turns.rotate(1)
            turns.reflect(0)
        case (0, -1, -1, 0):
            turns.rotate(1)
            turns.reflect(1)
        default: break
        }
        return turns
    }

    /// The tracks that this one refers to (`tref`: 8.3.3).
    package func references(_ type: StaticString) -> [Int] {
        guard let content = track.box("tref")?.box(type) else { return [] }
        return (0..<min(content.count / 4, ISOBox.maximumBoxes))
            .compactMap { content.uint32(at: 4 * $0, bigEndian: true) }
    }

    /// The units of a second that durations of samples have (`mdhd`: 8.4.2).
    package var timescale: Int? {
        guard let header = track.box("mdia")?.box("mdhd") else { return nil }
        return header.uint32(at: header.uint8(at: 0) == 1 ? 20 : 12, bigEndian: true)
    }

    /// The content of `stbl`, which describes the samples.
    package var sampleTable: ByteReader? { track.box("mdia")?.box("minf")?.box("stbl") }

    /// The first description of samples (`stsd`: 8.5.2).
    package var sampleEntry: ISOBox? {
        sampleTable?.box("stsd").flatMap { ISOBox(at: 8, in: $0) }
    }

    /// The fields of a `VisualSampleEntry` before its boxes, in bytes (12.1.3).
    package static let visualEntryLength = 78

    /// `stsz`: 8.7.3.
    package var sampleCount: Int { sampleTable?.box("stsz")?.uint32(at: 8, bigEndian: true) ?? 0 }

    /// How often the track plays, 0 for ever: its duration divided by the duration of its repeated edit
    /// (`elst` and `tkhd`: 8.6.6 and 8.3.2; ISO/IEC 23000-22, 7). Without edits, for ever, as browsers do.
    package var loopCount: Int {
        guard let edits = track.box("edts")?.box("elst"),
            let flags = edits.uint32(at: 0, bigEndian: true), edits.uint32(at: 4, bigEndian: true) == 1
        else { return 0 }
        guard flags & 1 == 1 else { return 1 }
        let isLong = flags >> 24 == 1
        guard let segment = isLong ? edits.uint64(at: 8) : edits.uint32(at: 8, bigEndian: true),
            segment > 0, let total = duration
        else { return 0 }
        return total / segment + (total % segment == 0 ? 0 : 1)
    }

    /// Nil if it is indefinite, which is stored as all ones.
    private var duration: Int? {
        if isLong { return header.uint64(at: 28) }
        return header.uint32(at: 20, bigEndian: true).flatMap { $0 == Int(UInt32.max) ? nil : $0 }
    }
}
