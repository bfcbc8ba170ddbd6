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
        return ((sizes ?? []) + ISOTrack.all(in: reader).compactMap(\.size)).max { $0.area < $1.area }
    }

    /// The samples of the track with the most.
    static func sampleCount(in reader: ByteReader) -> Int {
        ISOTrack.all(in: reader).map(\.sampleCount).max() ?? 0
    }

    /// How often the sequence plays, 0 for ever.
    static func loopCount(in reader: ByteReader) -> Int {
        ISOTrack.all(in: reader).first { $0.has(handler: "pict") }?.loopCount ?? 0
    }
}
