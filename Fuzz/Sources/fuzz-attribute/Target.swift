import Foundation
import FuzzHarness

@testable import KingfisherStorage

/// The attribute of a cache file, and the freshness record in it, with arbitrary bytes.
///
/// In seven of eight inputs the checksum is corrected, and in most the version and the metadata of the file.
/// Otherwise the code behind these checks would hardly ever be reached.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    exercise(freshness: input)
    guard count % 8 != 0 else {
        read(input)
        return 0
    }
    let attribute = forged(input, saysTruth: count % 4 != 3, hasVersion: count % 8 != 1)
    read(attribute, hasRightChecksum: true)
    file.use(attribute)
    return 0
}

private let file = CacheFile()

private func forged(_ input: [UInt8], saysTruth: Bool, hasVersion: Bool) -> [UInt8] {
    var bytes = input + [UInt8](repeating: 0, count: max(0, 36 - input.count))
    func put(_ number: some FixedWidthInteger, at offset: Int) {
        withUnsafeBytes(of: number.littleEndian) {
            bytes.replaceSubrange(offset..<offset + $0.count, with: $0)
        }
    }
    if hasVersion { put(EntryAttribute.version, at: 0) }
    if saysTruth {
        put(UInt64(CacheFile.content.count), at: 4)
        put(Checksum.of(CacheFile.content), at: 12)
    }
    bytes.appendLittleEndian(bytes.withUnsafeBytes { Checksum.of($0) })
    return bytes
}

/// Reads an attribute, writes it, and reads it again.
private func read(_ bytes: [UInt8], hasRightChecksum: Bool = false) {
    switch EntryAttribute.read(bytes) {
    case .unknown:
        precondition(bytes.starts(with: [1, 0]) == false, "a known version was reported as unknown")
    case .damaged:
        precondition(
            !hasRightChecksum || bytes.starts(with: [1, 0]) && !areWhole(bytes[36..<bytes.count - 8]),
            "a valid attribute was rejected")
    case .valid(let attribute):
        let records = bytes[36..<bytes.count - 8]
        precondition(bytes.starts(with: [1, 0]) && areWhole(records), "a corrupt attribute was accepted")
        let written = attribute.encoded
        precondition(written[36..<written.count - 8] == records, "records differ when written again")
        guard case .valid(let again) = EntryAttribute.read(written) else {
            preconditionFailure("a written attribute cannot be read")
        }
        precondition(
            again.payloadLength == attribute.payloadLength && again.checksum == attribute.checksum
                && again.records == attribute.records, "the attribute differs when read again")
        precondition(
            abs(again.storedAt.timeIntervalSince(attribute.storedAt)) <= rounding,
            "the time of storing differs")
        precondition(areSame(again.lifetime, attribute.lifetime), "the lifetime differs when read again")
        for record in attribute.records where record.kind == .httpFreshness {
            exercise(freshness: record.bytes)
        }
    }
}

/// The precision of a `Date` 292 years away.
private let rounding = 0.000_004

private func areSame(_ one: EntryAttribute.Lifetime, _ other: EntryAttribute.Lifetime) -> Bool {
    switch (one, other) {
    case (.seconds(let one), .seconds(let other)): abs(one - other) <= rounding
    case (.forever, .forever): true
    case (.forever, .seconds), (.seconds, .forever): false
    }
}

/// Whether the records end exactly with the last one.
private func areWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
    var place = bytes.startIndex
    while place < bytes.endIndex {
        guard bytes.endIndex - place >= 4 else { return false }
        place += 4 + Int(bytes[place + 2]) + Int(bytes[place + 3]) << 8
    }
    return place == bytes.endIndex
}
