import Foundation
import KingfisherTestSupport

@testable import KingfisherImage

/// Writes a JPEG with a gain map as phones do: the base image with an index of two images (CIPA DC-007),
/// then the gain map as a JPEG of its own.
enum GainMapJPEG: CaseIterable {
    /// Ultra HDR: XMP of Adobe in both images, an index in little-endian order.
    case adobe
    /// Apple: XMP in the second image only.
    case apple
    /// ISO 21496-1: a version in the first image, parameters in the second.
    case iso

    private static let isoPrefix = "urn:iso:std:iso:ts:21496:-1\0"

    private var packet: String {
        switch self {
        case .adobe:
            "<x:xmpmeta xmlns:x='adobe:ns:meta/' xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/'"
                + " xmlns:Container='http://ns.google.com/photos/1.0/container/' dc:title='sea'"
                + " hdrgm:Version='1.0'><Container:Directory><rdf:li Item:Length='9'/>"
                + "</Container:Directory></x:xmpmeta>"
        case .apple: "<a apdi:AuxiliaryImageType='urn:com:apple:photo:2020:aux:hdrgainmap'/>"
        case .iso: ""
        }
    }

    /// A quarter of the base image's sides, in greyscale.
    static let size = PixelSize(width: 6, height: 4)

    private func gainMap() throws -> Data {
        let levels = (0..<24).map { $0 * 10 }
        let map = try JPEGCodec().encode(
            Samples.buffer(Self.size.width, .gray8, levels), options: ImageEncodingOptions(quality: 0.9))
        let iso = JPEGPieces.segment(0xE2, Data(Self.isoPrefix.utf8) + Data(count: 61))
        return JPEGPieces.inserted(self == .iso ? iso : xmp, into: map)
    }

    private var xmp: Data {
        JPEGPieces.segment(0xE1, Data("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8))
    }

    /// The file whose first image is `base`.
    func file(_ base: Data) throws -> Data {
        let map = try gainMap()
        let mark: Data =
            switch self {
            case .adobe: xmp
            case .apple: Data()
            case .iso: JPEGPieces.segment(0xE2, Data(Self.isoPrefix.utf8) + Data(count: 4))
            }
        let length = index(first: 0, second: 0, offset: 0).count
        let first = base.count + mark.count + length
        // After JFIF, which is the first segment if it is there.
        let place = base[3] == 0xE0 ? 4 + Int(base[4]) << 8 + Int(base[5]) : 2
        // The offset counts from the index's TIFF header, after the marker, the length and "MPF".
        let index = index(first: first, second: map.count, offset: first - (place + mark.count + 8))
        return base.prefix(place) + mark + index + base.dropFirst(place) + map
    }

    private func index(first: Int, second: Int, offset: Int) -> Data {
        func bytes(_ value: Int, _ count: Int) -> Data {
            let little = Data((0..<count).map { UInt8(value >> ($0 * 8) & 255) })
            return self == .adobe ? little : Data(little.reversed())
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Data) -> Data {
            bytes(tag, 2) + bytes(type, 2) + bytes(count, 4) + value
        }
        let table = 8 + 2 + 36 + 4
        var data = Data("MPF\0".utf8) + Data((self == .adobe ? "II" : "MM").utf8) + bytes(42, 2)
        data += bytes(8, 4) + bytes(3, 2)
        data += entry(0xB000, 7, 4, Data("0100".utf8))
        data += entry(0xB001, 4, 1, bytes(2, 4))
        data += entry(0xB002, 7, 32, bytes(table, 4)) + bytes(0, 4)
        data += bytes(0x030000, 4) + bytes(first, 4) + bytes(0, 4) + bytes(0, 4)
        data += bytes(0, 4) + bytes(second, 4) + bytes(offset, 4) + bytes(0, 4)
        return JPEGPieces.segment(0xE2, data)
    }

    /// The second image, where the index says it is; nil without an index.
    static func gainMap(in file: Data) -> Data? {
        guard let place = file.range(of: Data("MPF\0".utf8))?.upperBound else { return nil }
        let isLittle = file[place] == UInt8(ascii: "I")
        func number(_ offset: Int) -> Int {
            let bytes = file[offset..<offset + 4]
            return (isLittle ? Data(bytes.reversed()) : Data(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        let table = place + 8 + 2 + 36 + 4
        let start = place + number(table + 16 + 8)
        guard number(table + 4) == start, start + number(table + 16 + 4) == file.count else { return nil }
        return Data(file[start...])
    }
}
