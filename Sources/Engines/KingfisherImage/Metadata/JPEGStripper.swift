import Foundation

/// Rebuilds a JPEG file from the segments that decoding needs.
enum JPEGStripper {
    static func stripped(_ file: Data, keepsProfile: Bool = true) throws(ImageCodecError) -> Data {
        let orientation = try JPEGCodec().open(EncodedFile(file)).header.orientation
        return try stripped(file, orientation: orientation, keepsProfile: keepsProfile)
    }

    /// The file without metadata, with another orientation than its own.
    static func stripped(
        _ file: Data, orientation: Image.Orientation, keepsProfile: Bool = true
    ) throws(ImageCodecError) -> Data {
        let exif = orientation == .up ? [] : JPEGSegmentBytes.exif(orientation)
        return try rebuilt(file, with: exif, keepsProfile: keepsProfile)
    }

    /// The first image of the file without its metadata, with `segments` instead. Bytes between segments and
    /// after the image are omitted.
    static func rebuilt(
        _ file: Data, with segments: [UInt8], keepsProfile: Bool = true
    ) throws(ImageCodecError) -> Data {
        try file.reading { reader throws(ImageCodecError) in
            let structure = try JPEGStructure(reader)
            var output = Data(capacity: reader.count + segments.count)
            output += [0xFF, 0xD8]
            // JFIF must follow the start of the image. Decoders accept it anywhere, and it decides whether
            // samples are RGB.
            let headers = structure.segments.lazy.compactMap { jfif($0, in: reader) }
            if let jfif = headers.first { output += jfif }
            output += segments
            for segment in structure.segments where keeps(segment, in: reader, keepsProfile) {
                guard let bytes = reader.slice(at: segment.start, count: segment.dataEnd - segment.start)
                else {
                    throw .truncated
                }
                output.append(contentsOf: bytes.bytes)
            }
            output += [0xFF, 0xD9]
            return output
        }
    }

    /// The density of JFIF without its thumbnail.
    private static func jfif(_ segment: JPEGStructure.Segment, in reader: ByteReader) -> [UInt8]? {
        let body = segment.data(in: reader)
        guard segment.code == 0xE0, body.has("JFIF\0", at: 0), let head = body.slice(at: 0, count: 12) else {
            return nil
        }
        return [0xFF, 0xE0, 0, 16] + Array(head.bytes) + [0, 0]
    }

    private static func keeps(
        _ segment: JPEGStructure.Segment, in reader: ByteReader, _ keepsProfile: Bool
    ) -> Bool {
        guard segment.isMetadata else { return true }
        let body = segment.data(in: reader)
        switch segment.code {
        case 0xE2: return keepsProfile && body.has("ICC_PROFILE\0", at: 0)
        case 0xEE: return body.has("Adobe", at: 0)
        default: return false
        }
    }
}
