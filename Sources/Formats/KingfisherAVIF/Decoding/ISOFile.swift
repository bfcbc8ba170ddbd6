import KingfisherCodecSupport
import KingfisherISOBoxes

/// What libavif 0.11 does not tell of a file: loop counts and declared sizes.
enum ISOFile {
    static func isAVIF(_ reader: ByteReader) -> Bool {
        ISOBrands(reader)?.contains("avif", "avis") ?? false
    }

    /// The largest of the sizes that image items declare (`ispe`: ISO/IEC 23008-12, 6.5.3).
    static func largestItem(in reader: ByteReader) -> PixelSize? {
        let properties = reader.box("meta")?.box("iprp", from: 4)?.box("ipco")
        let sizes = properties?.boxes("ispe").compactMap { content -> PixelSize? in
            guard let width = content.uint32(at: 4, bigEndian: true),
                let height = content.uint32(at: 8, bigEndian: true)
            else { return nil }
            return PixelSize(width: width, height: height)
        }
        let tracks = tracks(in: reader).compactMap { track -> PixelSize? in
            // The last two fields of `tkhd`, 16.16 fixed point.
            guard let header = track.box("tkhd"),
                let width = header.uint32(at: header.count - 8, bigEndian: true),
                let height = header.uint32(at: header.count - 4, bigEndian: true)
            else { return nil }
            return PixelSize(width: width >> 16, height: height >> 16)
        }
        return ((sizes ?? []) + tracks).max { $0.area < $1.area }
    }

    /// The samples of the track with the most (`stsz`: ISO/IEC 14496-12, 8.7.3).
    static func sampleCount(in reader: ByteReader) -> Int {
        tracks(in: reader).compactMap {
            $0.box("mdia")?.box("minf")?.box("stbl")?.box("stsz")?.uint32(at: 8, bigEndian: true)
        }.max() ?? 0
    }

    /// How often the sequence plays, 0 for ever: the duration of the track divided by the duration of its
    /// repeated edit (`elst` and `tkhd`: ISO/IEC 14496-12, 8.6.6 and 8.3.2; ISO/IEC 23000-22, 7). Without
    /// edits, for ever, as browsers do.
    static func loopCount(in reader: ByteReader) -> Int {
        let track = tracks(in: reader).first { $0.box("mdia")?.box("hdlr")?.has("pict", at: 8) ?? false }
        guard let track, let edits = track.box("edts")?.box("elst"),
            let flags = edits.uint32(at: 0, bigEndian: true), edits.uint32(at: 4, bigEndian: true) == 1
        else { return 0 }
        guard flags & 1 == 1 else { return 1 }
        let isLong = flags >> 24 == 1
        guard let segment = isLong ? edits.uint64(at: 8) : edits.uint32(at: 8, bigEndian: true),
            segment > 0, let header = track.box("tkhd"), let total = duration(ofTrack: header)
        else { return 0 }
        return total / segment + (total % segment == 0 ? 0 : 1)
    }

    /// Nil if it is indefinite, which is stored as all ones.
    private static func duration(ofTrack header: ByteReader) -> Int? {
        if header.uint8(at: 0) == 1 { return header.uint64(at: 28) }
        return header.uint32(at: 20, bigEndian: true).flatMap { $0 == Int(UInt32.max) ? nil : $0 }
    }

    private static func tracks(in reader: ByteReader) -> [ByteReader] {
        reader.box("moov")?.boxes("trak") ?? []
    }
}
