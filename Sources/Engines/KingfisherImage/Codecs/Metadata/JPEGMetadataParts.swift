import Foundation
import Glibc

/// Whether the XMP of a later image says that it is a gain map: Apple's, or Adobe's without its
/// mention in the first image.
private func isGainMap(at start: Int, in reader: ByteReader) -> Bool {
    guard let image = try? JPEGStructure(reader, from: start, stopsAtScan: true) else { return false }
    return image.segments.contains { segment in
        guard segment.code == 0xE1, let packet = segment.data(in: reader).after(JPEGMetadataParts.xmpPrefix)
        else { return false }
        return packet.offset(of: "urn:com:apple:photo:2020:aux:hdrgainmap") != nil
            || packet.offset(of: "hdrgm:Version") != nil
    }
}

/// Collects the metadata of a JPEG's segments: EXIF, XMP, ICC, Photoshop resources, JFIF.
///
/// Photoshop's resources may be divided over several APP13 segments, as profiles are over APP2.
struct JPEGMetadataParts {
    private var found = ImageMetadataBlocks()
    private var profile = JPEGProfile()
    private var extended = ExtendedXMP()
    private var resources = Data()

    static let xmpPrefix: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    static let photoshopPrefix: StaticString = "Photoshop 3.0\0"
    static let gainMapPrefix: StaticString = "urn:iso:std:iso:ts:21496:-1\0"

    static func blocks(of reader: ByteReader) throws(ImageCodecError) -> ImageMetadataBlocks {
        let file = try JPEGStructure(reader, stopsAtScan: true)
        var parts = JPEGMetadataParts()
        for segment in file.segments { parts.take(segment.code, segment.data(in: reader)) }
        var blocks = parts.blocks()
        if !blocks.hasGainMap {
            blocks.hasGainMap = ImageIndex.laterImages(in: reader, file).contains {
                isGainMap(at: $0, in: reader)
            }
        }
        return blocks
    }

    mutating func take(_ code: Int, _ body: ByteReader) {
        switch code {
        case 0xE0: takeJFIF(body)
        case 0xE1:
            if body.has("Exif\0\0", at: 0) {
                if let tiff = body.slice(at: 6, count: body.count - 6) { found.keep(tiff, as: \.exif) }
            } else if let packet = body.after(Self.xmpPrefix) {
                found.keep(packet, as: \.xmp)
            } else {
                extended.take(body)
            }
        case 0xE2:
            profile.take(segment: body)
            if body.has(Self.gainMapPrefix, at: 0) { found.hasGainMap = true }
        case 0xED:
            guard let part = body.after(Self.photoshopPrefix) else { return }
            guard part.count <= ImageMetadataBlocks.maximumBytes - resources.count else {
                return found.isComplete = false
            }
            resources.append(contentsOf: part.bytes)
        case _ where JPEGFrameHeader.isFrame(code):
            found.channels = body.uint8(at: 5)
        default: break
        }
    }

    /// The density of JFIF (ITU-T T.871): a unit, 1 for inches and 2 for centimetres, and two numbers.
    private mutating func takeJFIF(_ body: ByteReader) {
        guard body.has("JFIF\0", at: 0), let unit = body.uint8(at: 7), unit == 1 || unit == 2,
            let x = body.uint16(at: 8, bigEndian: true), let y = body.uint16(at: 10, bigEndian: true)
        else { return }
        let scale = unit == 1 ? 1 : 2.54
        found.density = ImageMetadata.PixelDensity(x: Double(x) * scale, y: Double(y) * scale)
    }

    func blocks() -> ImageMetadataBlocks {
        var blocks = found
        resources.withUnsafeBytes { bytes in
            if let iptc = PhotoshopResources.iptc(in: ByteReader(bytes)) { blocks.keep(iptc, as: \.iptc) }
        }
        profile.joined?.withUnsafeBytes { blocks.keep(ByteReader($0), as: \.profile) }
        let packet = blocks.xmp ?? Data()
        packet.withUnsafeBytes { bytes in
            let packet = ByteReader(bytes)
            if packet.offset(of: "hdrgm:Version") != nil { blocks.hasGainMap = true }
            extended.add(to: &blocks, announcedBy: packet)
        }
        return blocks
    }
}

/// The parts of an XMP packet of more than 64 KiB (XMP specification, part 3, section 1.1.3.1): an
/// identifier of 32 characters, the length of the whole, the offset of the part, and the part.
struct ExtendedXMP {
    static let prefix: StaticString = "http://ns.adobe.com/xmp/extension/\0"
    static let headBytes = 40
    static let identifierBytes = 32
    /// The name of the property, its identifier, and white space between them.
    private static let announcementBytes = 100

    private var parts: [ByteReader] = []

    mutating func take(_ body: ByteReader) {
        if let part = body.after(Self.prefix), part.count > Self.headBytes { parts.append(part) }
    }

    /// Joins the parts with the identifier that the main packet announces. They may have any order; parts
    /// that overlap or are missing make it incomplete.
    func add(to blocks: inout ImageMetadataBlocks, announcedBy packet: ByteReader) {
        guard let key = packet.offset(of: "HasExtendedXMP"),
            let value = packet.slice(at: key, count: min(Self.announcementBytes, packet.count - key))
        else { return }
        let wanted = parts.filter { part in
            part.slice(at: 0, count: Self.identifierBytes).map { value.offset(of: $0) != nil } ?? false
        }
        let sorted = wanted.sorted { Self.offset(of: $0) < Self.offset(of: $1) }
        guard let total = sorted.first?.uint32(at: Self.identifierBytes, bigEndian: true),
            total <= blocks.room
        else { return blocks.isComplete = false }
        var whole = Data(capacity: total)
        for part in sorted {
            guard part.uint32(at: Self.identifierBytes, bigEndian: true) == total,
                Self.offset(of: part) == whole.count,
                let data = part.slice(at: Self.headBytes, count: part.count - Self.headBytes),
                data.count <= total - whole.count
            else { return blocks.isComplete = false }
            whole.append(contentsOf: data.bytes)
        }
        guard whole.count == total else { return blocks.isComplete = false }
        blocks.extendedXMP = whole
    }

    static func offset(of part: ByteReader) -> Int {
        part.uint32(at: identifierBytes + 4, bigEndian: true) ?? 0
    }
}

extension ByteReader {
    /// The bytes after `prefix`; nil if they do not start with it.
    func after(_ prefix: StaticString) -> ByteReader? {
        let length = prefix.utf8CodeUnitCount
        return has(prefix, at: 0) ? slice(at: length, count: count - length) : nil
    }

    /// The offset of the first occurrence of `text` at or after `start`.
    func offset(of text: StaticString, from start: Int = 0) -> Int? {
        let wanted = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return offset(of: ByteReader(wanted), from: start)
    }

    /// The offset of the first occurrence of `wanted` at or after `start`. For text without repetitions of
    /// its first byte, the time is linear.
    func offset(of wanted: ByteReader, from start: Int = 0) -> Int? {
        guard let first = wanted.uint8(at: 0), let needle = wanted.bytes.baseAddress else { return nil }
        var place = start
        while let found = offset(of: UInt8(first), from: place) {
            guard let part = slice(at: found, count: wanted.count), let base = part.bytes.baseAddress else {
                return nil
            }
            if memcmp(base, needle, wanted.count) == 0 { return found }
            place = found + 1
        }
        return nil
    }
}
