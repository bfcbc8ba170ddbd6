import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes
import KingfisherTIFFStructure

/// A CR3 file: boxes of ISO/IEC 14496-12 with Canon's own ones, which Canon does not document
/// (https://github.com/lclevy/canon_cr3, ExifTool).
///
/// The full-size JPEG is a sample of the first track; a smaller one is in a box `PRVW`, a thumbnail in
/// `THMB`.
struct CR3File {
    private(set) var places: [RAWPlace] = []
    private(set) var isTruncated = false
    /// `CMT1`, `CMT2` and `CMT4`: TIFF files with the main directory, EXIF and GPS.
    private var main, camera, location: TIFFStructure?
    private var packet: ByteReader?

    private static let canon: [UInt8] = [
        0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
    ]
    private static let preview: [UInt8] = [
        0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88, 0xB9, 0xFB, 0xB7, 0xDC, 0x40, 0x6E, 0x4D, 0x16,
    ]
    private static let xmp: [UInt8] = [
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
    ]
    /// Of the box that a preview is in: version and sizes.
    private static let previewHeader = 16
    private static let maximumTracks = 8

    init(_ reader: ByteReader) {
        var count = 0
        reader.eachBox { box in
            count += 1
            if box.has("moov") {
                guard let movie = box.content else { return end() }
                takeMovie(movie, in: reader)
            } else if box.has("uuid") {
                guard let content = box.content else { return end() }
                takeExtension(content, in: reader)
            }
            return count < ISOBox.maximumBoxes
        }
        if reader.box("moov") == nil { isTruncated = true }
    }

    private mutating func end() -> Bool {
        isTruncated = true
        return false
    }

    private mutating func takeMovie(_ movie: ByteReader, in file: ByteReader) {
        for content in movie.boxes("uuid") where content.bytes.starts(with: Self.canon) {
            main = main ?? structure("CMT1", in: content)
            camera = camera ?? structure("CMT2", in: content)
            location = location ?? structure("CMT4", in: content)
            if let thumbnail = content.box("THMB", from: 16) { takePreview(thumbnail, in: file) }
        }
        for track in movie.boxes("trak").prefix(Self.maximumTracks) {
            guard let table = track.box("mdia")?.box("minf")?.box("stbl"), let sizes = table.box("stsz"),
                let size = sizes.uint32(at: 4, bigEndian: true),
                let length = size > 0 ? size : sizes.uint32(at: 12, bigEndian: true),
                let offset = table.box("co64")?.uint64(at: 8)
                    ?? table.box("stco")?.uint32(at: 8, bigEndian: true)
            else { continue }
            places.append(RAWPlace(offset: offset, length: length))
        }
    }

    private func structure(_ type: StaticString, in content: ByteReader) -> TIFFStructure? {
        content.box(type, from: 16).flatMap { try? TIFFStructure($0) }
    }

    private mutating func takeExtension(_ content: ByteReader, in file: ByteReader) {
        if content.bytes.starts(with: Self.preview) {
            // Eight bytes are between the identifier and the box.
            if let box = content.box("PRVW", from: 24) { takePreview(box, in: file) }
        } else if content.bytes.starts(with: Self.xmp) {
            packet = packet ?? content.slice(at: 16, count: content.count - 16)
        }
    }

    private mutating func takePreview(_ box: ByteReader, in file: ByteReader) {
        guard let start = file.bytes.baseAddress, let place = box.bytes.baseAddress,
            box.count > Self.previewHeader
        else { return }
        places.append(
            RAWPlace(
                offset: start.distance(to: place) + Self.previewHeader,
                length: box.count - Self.previewHeader))
    }

    var orientation: Image.Orientation? {
        guard let main, let directory = try? main.directory(at: main.first) else { return nil }
        return main.integer(.orientation, of: directory).flatMap { Image.Orientation(exif: $0) }
    }

    func metadata() -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        if let packet { blocks.keep(packet, as: \.xmp) }
        guard let main, let directory = try? main.directory(at: main.first) else { return blocks }
        var parts: [TIFFStructure.Tag: TIFFStructure] = [:]
        for (tag, part) in [(TIFFStructure.Tag.exif, camera), (.gps, location)] {
            if let part, part.isBigEndian == main.isBigEndian { parts[tag] = part }
        }
        blocks.exif = main.exif(of: directory, parts: parts, room: blocks.room)
        return blocks
    }
}
