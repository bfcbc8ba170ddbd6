/// The segments of one JPEG image (ITU-T T.81, annex B), by their offsets in the file.
struct JPEGStructure {
    struct Segment {
        let code: Int
        /// The offset of the marker's last 0xFF.
        let start: Int
        /// The offset of the data after the length field.
        let body: Int
        /// The end of the segment.
        let end: Int
        /// The end of the entropy-coded data after a start of scan; otherwise `end`.
        let dataEnd: Int

        func data(in reader: ByteReader) -> ByteReader {
            reader.slice(at: body, count: end - body)
                ?? ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
        }

        /// Whether the segment is application data or a comment, which decoding does not need.
        var isMetadata: Bool { (0xE0...0xEF).contains(code) || code == 0xFE }
    }

    /// A limit for malicious files: photographs have about a hundred.
    static let maximumSegments = 10_000

    private(set) var segments: [Segment] = []
    /// The segments before the first scan, where readers of metadata stop.
    var head: ArraySlice<Segment> { segments.prefix { $0.code != 0xDA } }
    /// The offset after the end-of-image marker; with `stopsAtScan`, the offset of the first scan's marker.
    private(set) var end = 0

    /// Reads the image whose start-of-image marker is at `start`.
    ///
    /// Throws `truncated` without an end-of-image marker (with `stopsAtScan`: without a scan), `corrupt` for
    /// bytes that are no segments, and `tooMuchMetadata` for more segments or metadata than the limits.
    init(
        _ reader: ByteReader, from start: Int = 0, stopsAtScan: Bool = false
    ) throws(ImageCodecError) {
        guard reader.uint16(at: start, bigEndian: true) == 0xFFD8 else { throw .corrupt("no start of image") }
        var offset = start + 2
        var metadataBytes = 0
        while true {
            let (code, next) = try JPEGFrameHeader.marker(in: reader, from: offset)
            offset = next
            switch code {
            case 0x01, 0xD0...0xD7: continue
            case 0xD8: throw .corrupt("a second start of image")
            case 0xD9:
                end = next
                return
            default: break
            }
            if code == 0xDA, stopsAtScan {
                end = next - 2
                return
            }
            let segment = try Self.segment(code, at: next, in: reader)
            offset = segment.dataEnd
            if segment.isMetadata { metadataBytes += segment.end - segment.body }
            try reader.limits.check(metadataBytes: metadataBytes)
            segments.append(segment)
            guard segments.count <= Self.maximumSegments else { throw .tooMuchMetadata }
        }
    }

    private static func segment(
        _ code: Int, at offset: Int, in reader: ByteReader
    ) throws(ImageCodecError) -> Segment {
        guard let length = reader.uint16(at: offset, bigEndian: true) else { throw .truncated }
        guard length >= 2 else { throw .corrupt("a segment shorter than its length field") }
        let end = offset + length
        guard end <= reader.count else { throw .truncated }
        let dataEnd = code == 0xDA ? try scanEnd(in: reader, from: end) : end
        return Segment(code: code, start: offset - 2, body: offset + 2, end: end, dataEnd: dataEnd)
    }

    /// The offset of the marker that ends a scan: not a stuffed zero and not a restart.
    private static func scanEnd(in reader: ByteReader, from start: Int) throws(ImageCodecError) -> Int {
        var offset = start
        while true {
            let (code, next) = try JPEGFrameHeader.marker(in: reader, from: offset)
            if code != 0x01, !(0xD0...0xD7).contains(code) { return next - 2 }
            offset = next
        }
    }
}
