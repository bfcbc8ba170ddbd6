import KingfisherCodecSupport

/// A box of ISO/IEC 14496-12, 4.2, in untrusted bytes.
struct ISOBox {
    let offset: Int
    let headerLength: Int
    let length: Int
    let reader: ByteReader

    /// The box at `offset`; nil if its header is malformed. It may end after the bytes.
    init?(at offset: Int, in reader: ByteReader) {
        guard let short = reader.uint32(at: offset, bigEndian: true), offset <= reader.count - 8 else {
            return nil
        }
        self.offset = offset
        self.reader = reader
        switch short {
        case 0: (headerLength, length) = (8, reader.count - offset)
        case 1:
            guard let long = reader.uint64(at: offset + 8), long >= 16 else { return nil }
            (headerLength, length) = (16, long)
        case 8...: (headerLength, length) = (8, short)
        default: return nil
        }
    }

    func has(_ type: StaticString) -> Bool { reader.has(type, at: offset + 4) }

    var end: Int? {
        let (end, overflow) = offset.addingReportingOverflow(length)
        return overflow ? nil : end
    }

    /// The bytes after the header; nil if the box is truncated.
    var content: ByteReader? { reader.slice(at: offset + headerLength, count: length - headerLength) }
}

extension ByteReader {
    /// Eight bytes as a number; nil above `Int.max`.
    func uint64(at offset: Int) -> Int? {
        guard let high = uint32(at: offset, bigEndian: true),
            let low = uint32(at: offset + 4, bigEndian: true), high <= Int(Int32.max)
        else { return nil }
        return high << 32 | low
    }

    /// The boxes from `offset` on, as many as `body` wants. A truncated one is the last.
    func eachBox(from offset: Int = 0, _ body: (ISOBox) -> Bool) {
        var offset = offset
        while let box = ISOBox(at: offset, in: self), body(box), let end = box.end, end < count {
            offset = end
        }
    }

    func boxes(_ type: StaticString, from offset: Int = 0) -> [ByteReader] {
        var found: [ByteReader] = []
        eachBox(from: offset) { box in
            if box.has(type), let content = box.content { found.append(content) }
            return found.count < ISOFile.maximumBoxes
        }
        return found
    }

    func box(_ type: StaticString, from offset: Int = 0) -> ByteReader? {
        boxes(type, from: offset).first
    }
}

/// What libavif 0.11 does not tell of a file: loop counts, declared sizes, and whether it is truncated.
enum ISOFile {
    static let maximumBoxes = 4_096

    static func isAVIF(_ reader: ByteReader) -> Bool {
        guard reader.has("ftyp", at: 4), let length = reader.uint32(at: 0, bigEndian: true) else {
            return false
        }
        func isBrand(_ offset: Int) -> Bool {
            reader.has("avif", at: offset) || reader.has("avis", at: offset)
        }
        if isBrand(8) { return true }
        let end = min(length, reader.count, 1_024)
        return stride(from: 16, through: end - 4, by: 4).contains(where: isBrand)
    }

    /// Whether a box at the top level ends after the bytes, or the one with the samples is missing.
    static func isTruncated(_ reader: ByteReader) -> Bool {
        var (hasSamples, end) = (false, 0)
        reader.eachBox { box in
            end = box.end ?? .max
            hasSamples = hasSamples || box.has("mdat")
            return end <= reader.count
        }
        // A rest of fewer than eight bytes is the start of another box.
        return end != reader.count || !hasSamples
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

    /// How often the sequence plays, 0 for ever: the duration of the track over that of its repeated edit
    /// (`elst` and `tkhd`: ISO/IEC 14496-12, 8.6.6 and 8.3.2; ISO/IEC 23000-22, 7). Without edits, for ever,
    /// as browsers do.
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
