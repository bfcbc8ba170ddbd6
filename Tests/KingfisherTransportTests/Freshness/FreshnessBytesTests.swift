import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherTransport

/// The encoding of a freshness record that is stored with a file.
@Suite struct FreshnessBytesTests {
    private func full() throws -> HTTPFreshness {
        try .of(
            [
                "Cache-Control":
                    "max-age=1, no-cache, must-revalidate, stale-while-revalidate=2, stale-if-error=3",
                "Expires": ResponseFields.date(60), "Date": ResponseFields.date(-5), "Age": "7",
                "ETag": "W/\"x\"",
                "Last-Modified": ResponseFields.date(-900), "Vary": "Accept",
            ], accept: "image/webp,*/*")
    }

    @Test("An encoded record is decoded unchanged")
    func roundTrip() throws {
        for fields in [[:], ["Expires": "0"], ["Vary": "*"], ["Cache-Control": "no-store"]] {
            let freshness = try HTTPFreshness.of(fields, status: fields.isEmpty ? 302 : 200)
            let read = try #require(HTTPFreshness(freshness.encoded))
            #expect(read.expires.map { $0 < ResponseFields.start } == freshness.expires.map { _ in true })
            var (one, other) = (read, freshness)
            (one.expires, other.expires) = (nil, nil)
            #expect(one == other)
        }
        let full = try full()
        #expect(HTTPFreshness(full.encoded) == full)
    }

    @Test("Encoded directives of a response are decoded unchanged, and other bytes are refused")
    func ownDirectives() throws {
        for field in ["", "no-store, max-age=0", "no-cache, stale-if-error=3", "must-revalidate, max-age=9"] {
            let directives = CacheDirectives(field)
            #expect(CacheDirectives(directives.encoded) == directives)
        }
        let bytes = try full().directives.encoded
        for count in 0..<bytes.count { #expect(CacheDirectives(Array(bytes.prefix(count))) == nil) }
        #expect(CacheDirectives(bytes + [0]) == nil)
        for version in [0, 2, 255] as [UInt8] {
            #expect(CacheDirectives([version] + bytes.dropFirst()) == nil)
        }
    }

    @Test("The largest record fits into an attribute")
    func largestRecord() throws {
        let freshness = try HTTPFreshness.of(
            [
                "ETag": String(repeating: "t", count: 1_024), "Last-Modified": ResponseFields.date(0),
                "Vary": "Accept", "Cache-Control": String(repeating: "x, ", count: 9_000) + "max-age=9",
            ], accept: String(repeating: "a", count: 512))
        #expect(freshness.directives.maxAge == 9)
        #expect(freshness.encoded.count > 1_600 && freshness.encoded.count <= 1_700)
        #expect(HTTPFreshness(freshness.encoded) == freshness)
    }

    @Test("Truncated and longer bytes and other versions are refused")
    func malformedRecords() throws {
        let bytes = try full().encoded
        for count in 0..<bytes.count { #expect(HTTPFreshness(Array(bytes.prefix(count))) == nil) }
        #expect(HTTPFreshness(bytes + [0]) == nil)
        for version in [0, 2, 255] as [UInt8] { #expect(HTTPFreshness([version] + bytes.dropFirst()) == nil) }
    }

    @Test("Extreme dates are decoded after encoding, and differ from missing ones")
    func extremeDates() throws {
        let bytes = HTTPFreshness(receivedAt: ResponseFields.start).encoded
        for moment in [Int64.min + 1, .min + 600, .max - 600, .max] {
            var record = bytes
            for offset in [20, 28, 36] {
                withUnsafeBytes(of: moment.littleEndian) {
                    record.replaceSubrange(offset..<offset + 8, with: $0)
                }
            }
            let read = try #require(HTTPFreshness(record))
            #expect(read.date != nil && read.expires != nil)
            #expect(HTTPFreshness(read.encoded) == read)
        }
    }

    @Test("Arbitrary bytes are decoded without a trap, and a decoded record can be used and encoded")
    func arbitraryBytes() throws {
        var random = SeededGenerator(seed: 42)
        let bytes = try full().encoded
        var decodings = 0
        for round in 0..<20_000 {
            var corrupt = bytes
            if round % 2 == 0 {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    corrupt[Int.random(in: 0..<corrupt.count, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
            } else {
                corrupt = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                    .random(in: 0...255, using: &random)
                }
                if !corrupt.isEmpty { corrupt[0] = 1 }
            }
            guard let read = HTTPFreshness(corrupt) else { continue }
            decodings += 1
            _ = read.reuse(for: .known(nil), at: ResponseFields.start)
            _ = read.allowsStale(for: .unknown, after: .serverError, at: ResponseFields.start)
            #expect(HTTPFreshness(read.encoded) != nil)
        }
        #expect(decodings > 100)
    }
}
