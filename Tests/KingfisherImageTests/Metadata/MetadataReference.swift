import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// What exiftool reads in a fixture (`Tests/Fixtures/generate/metadata.py`).
struct MetadataReference: CustomTestStringConvertible, Sendable {
    let name: String
    /// All values as texts; most have one.
    private let values: [String: [String]]
    var testDescription: String { name }

    static let all: [MetadataReference] = section("files").compactMap { name, values in
        (values as? [String: Any]).map { values in
            MetadataReference(name: name, values: values.mapValues(Self.texts))
        }
    }.sorted { $0.name < $1.name }

    /// Those that a codec of this module reads.
    static let own = all.filter { !$0.name.hasSuffix("webp") }
    static let jpegs = all.filter { $0.name.hasSuffix("jpg") }

    static let profiles: [String: String] = section("profiles").compactMapValues { $0 as? String }

    /// Numerators and denominators of the location in a file, according to Pillow.
    static func coordinates(in name: String) -> [[UInt32]] {
        let found = section("coordinates")[name] as? [[NSNumber]] ?? []
        return found.map { $0.map(\.uint32Value) }
    }

    private static func section(_ name: String) -> [String: Any] {
        let data = (try? Fixtures.data(named: "Metadata/references.json")) ?? Data()
        let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        return object?[name] as? [String: Any] ?? [:]
    }

    private static func texts(_ value: Any) -> [String] {
        if let list = value as? [Any] { return list.flatMap(texts) }
        return [value as? String ?? (value as? NSNumber).map { "\($0)" } ?? ""]
    }

    func data() throws -> Data { try Fixtures.data(named: "Metadata/\(name)") }

    func text(_ key: String) -> String? { values[key]?.first }

    func number(_ key: String) -> Double? { text(key).flatMap { Double($0) } }

    func texts(_ key: String) -> [String] { values[key] ?? [] }

    /// RFC 3339 of exiftool's date, fraction and zone.
    func moment(_ date: String, fraction: String? = nil, zone: String? = nil) -> String? {
        guard let date = text(date) else { return nil }
        let parts = date.split(separator: " ")
        let digits = fraction.flatMap(text).map { ".\($0)" } ?? ""
        let day = parts[0].replacingOccurrences(of: ":", with: "-")
        return "\(day)T\(parts[1])\(digits)\(zone.flatMap(text) ?? "")"
    }
}

extension Data {
    func contains(text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}

/// The parts of a JPEG for tests, found in another way than by the code under test: the file is cut at every
/// marker that can only be one.
enum JPEGPieces {
    /// The bytes from the first start of scan to the end of the file.
    static func scans(of file: Data) -> Data? {
        var offset = 2
        while offset + 4 <= file.count, file[offset] == 0xFF {
            if file[offset + 1] == 0xDA { return Data(file[offset...]) }
            offset += 2 + Int(file[offset + 2]) << 8 + Int(file[offset + 3])
        }
        return nil
    }

    static func segment(_ code: UInt8, _ body: Data) -> Data {
        Data([0xFF, code, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)]) + body
    }

    /// `file` with segments after its start.
    static func inserted(_ segments: Data..., into file: Data) -> Data {
        file.prefix(2) + segments.reduce(Data(), +) + file.dropFirst(2)
    }

    /// A little-endian TIFF file: directories at offset 8, one after another, each with a successor's offset.
    static func tiff(_ entries: [(tag: UInt16, type: UInt16, count: UInt32, value: UInt32)], next: UInt32 = 0)
        -> Data
    {
        var data =
            Data("II*\0".utf8) + little(8) + Data([UInt8(entries.count & 255), UInt8(entries.count >> 8)])
        for entry in entries {
            data +=
                little(UInt32(entry.tag) | UInt32(entry.type) << 16) + little(entry.count)
                + little(entry.value)
        }
        return data + little(next)
    }

    static func exif(_ tiff: Data) -> Data { segment(0xE1, Data("Exif\0\0".utf8) + tiff) }

    static func little(_ value: UInt32) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
}
