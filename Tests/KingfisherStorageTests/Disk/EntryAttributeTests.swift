import Foundation
import Testing

@testable import KingfisherStorage

struct EntryAttributeTests {
    private let attribute = EntryAttribute(
        payloadLength: 0x0102_0304, checksum: 0x1122_3344_5566_7788,
        storedAt: Date(timeIntervalSince1970: 1_000), lifetime: .seconds(2.5))

    /// The format's bytes as literals: a change here makes old folders unreadable.
    @Test func encodedBytesHaveTheDocumentedLayout() {
        let header: [UInt8] =
            [1, 0, 0, 0] + [4, 3, 2, 1, 0, 0, 0, 0] + [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]
            + [0x00, 0x10, 0xA5, 0xD4, 0xE8, 0, 0, 0] + [0x00, 0xF9, 0x02, 0x95, 0, 0, 0, 0]
        let encoded = attribute.encoded
        #expect(encoded.count == 44)
        #expect(Array(encoded.prefix(36)) == header)
        #expect(Array(encoded.suffix(8)) == Self.bytes(header.withUnsafeBytes { Checksum.of($0) }))
        #expect(EntryAttribute.name == "user.kingfisher")
    }

    /// The value for empty input of xxHash's own test program (`XXH3_64bits`, seed 0).
    @Test func checksumIsXXH3() {
        #expect(Checksum.of(Data()) == 0x2D06_8005_38D3_94C2)
    }

    @Test func roundTrip() throws {
        #expect(EntryAttribute.read(attribute.encoded) == .valid(attribute))
        var other = attribute
        other.lifetime = .forever
        other.records = [try #require(EntryRecord(.httpFreshness, [0xAB, 0xCD]))]
        #expect(EntryAttribute.read(other.encoded) == .valid(other))
    }

    @Test func finiteLifetimesStayFinite() {
        let now = Date(timeIntervalSince1970: 5_000)
        #expect(EntryAttribute.Lifetime(from: now, to: .distantFuture) == .forever)
        #expect(EntryAttribute.Lifetime(from: now, to: now + 3) == .seconds(3))
        #expect(EntryAttribute.Lifetime.forever.expiration(since: now) == .distantFuture)
        var long = attribute
        long.lifetime = .seconds(1e15)
        guard case .valid(let read) = EntryAttribute.read(long.encoded), case .seconds = read.lifetime else {
            Issue.record("a finite lifetime has become infinite")
            return
        }
        #expect(EntryAttribute.read(read.encoded) == .valid(read))
    }

    @Test func everyBitFlipIsDetected() {
        let encoded = attribute.encoded
        for bit in 0..<encoded.count * 8 {
            var flipped = encoded
            flipped[bit / 8] ^= 1 << (bit % 8)
            // A flipped version is another version, whose format is unknown.
            #expect(EntryAttribute.read(flipped) == (bit < 16 ? .unknown : .damaged))
        }
    }

    @Test func everyTruncationIsDetected() {
        let encoded = attribute.encoded
        for count in 0..<encoded.count {
            #expect(EntryAttribute.read(Array(encoded.prefix(count))) == .damaged)
        }
        #expect(EntryAttribute.read(encoded + [0]) == .damaged)
    }

    @Test func absentAttributesAndOtherVersionsAreUnknown() {
        #expect(EntryAttribute.read(nil) == .unknown)
        #expect(EntryAttribute.read([2, 0]) == .unknown)
    }

    private static func bytes(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
