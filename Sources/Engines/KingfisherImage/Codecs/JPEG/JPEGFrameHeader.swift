/// The metadata of a JPEG stream before the first scan (ITU-T T.81, annex B).
struct JPEGFrameHeader {
    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var precision = 0
    private(set) var components = 0
    private(set) var componentIDs: [Int] = []
    private(set) var frameMarker = 0
    var orientation = Image.Orientation.up
    private var metadataBytes = 0
    /// The JPEG thumbnail in the metadata; it shares the scanned bytes.
    private(set) var thumbnail: ByteReader?
    private(set) var profile = JPEGProfile()
    private(set) var firstScan = 0

    var isProgressive: Bool { frameMarker == 0xC2 || frameMarker == 0xCA }

    static func isFrame(_ code: Int) -> Bool {
        (0xC0...0xCF).contains(code) && code != 0xC4 && code != 0xC8 && code != 0xCC
    }

    init(scanning reader: ByteReader) throws(ImageCodecError) {
        guard reader.uint16(at: 0, bigEndian: true) == 0xFFD8 else { throw .corrupt("no start of image") }
        var offset = 2
        while true {
            let (code, next) = try Self.marker(in: reader, from: offset)
            offset = next
            switch code {
            case 0x01, 0xD0...0xD7:
                continue
            case 0xD8, 0xD9:
                throw .corrupt("no frame before the end of the image")
            case 0xDA:
                guard frameMarker != 0 else { throw .corrupt("a scan before the frame") }
                firstScan = next - 2
                return
            default:
                guard let length = reader.uint16(at: offset, bigEndian: true) else { throw .truncated }
                guard length >= 2 else { throw .corrupt("a segment shorter than its length field") }
                guard let body = reader.slice(at: offset + 2, count: length - 2) else { throw .truncated }
                try take(segment: code, body)
                offset += length
            }
        }
    }

    /// The next marker at or after `start`, and the offset after it; bytes in between are skipped, as by
    /// decoders.
    static func marker(
        in reader: ByteReader, from start: Int
    ) throws(ImageCodecError) -> (code: Int, next: Int) {
        var offset = start
        while let found = reader.offset(of: 0xFF, from: offset) {
            guard let code = reader.uint8(at: found + 1) else { throw .truncated }
            if code != 0xFF, code != 0 { return (code, found + 2) }
            offset = found + 1
        }
        throw .truncated
    }

    private mutating func take(segment code: Int, _ body: ByteReader) throws(ImageCodecError) {
        if (0xE0...0xEF).contains(code) || code == 0xFE {
            metadataBytes += body.count
            try body.limits.check(metadataBytes: metadataBytes)
        }
        switch code {
        case _ where Self.isFrame(code):
            guard frameMarker == 0 else { throw .corrupt("two frames in one JPEG") }
            guard let precision = body.uint8(at: 0), let height = body.uint16(at: 1, bigEndian: true),
                let width = body.uint16(at: 3, bigEndian: true), let components = body.uint8(at: 5)
            else { throw .corrupt("a short frame header") }
            // A DNL segment after the first scan could define the height, but libjpeg does not support it.
            guard height > 0 || width == 0 else {
                throw .unsupported("a JPEG without a height in its header")
            }
            frameMarker = code
            size = PixelSize(width: width, height: height)
            self.precision = precision
            self.components = components
            componentIDs = (0..<components).compactMap { body.uint8(at: 6 + 3 * $0) }
        case 0xE1:
            if orientation == .up { orientation = EXIF.orientation(inAPP1: body) ?? .up }
            thumbnail = thumbnail ?? EXIF.thumbnail(inAPP1: body)
        case 0xE2:
            profile.take(segment: body)
        default:
            break
        }
    }

    func checkSupport() throws(ImageCodecError) {
        guard [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(frameMarker) else {
            throw .unsupported("lossless or hierarchical JPEG")
        }
        guard precision == 8 else { throw .unsupported("JPEG of \(precision) bits") }
        guard [1, 3, 4].contains(components) else { throw .unsupported("JPEG of \(components) components") }
    }
}
