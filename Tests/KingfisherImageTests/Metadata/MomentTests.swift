import Foundation
import Testing

@testable import KingfisherImage

@Suite struct MomentTests {
    @Test(
        "A moment is the point in time that Foundation computes",
        arguments: [
            ("1970:01:01 00:00:00", "+00:00"), ("2000:02:29 23:59:59", "+02:00"),
            ("1900:03:01 12:00:00", "-11:30"),
            ("2026:12:31 01:02:03", "+05:45"), ("0001:01:01 00:00:00", "Z"), ("9999:12:31 23:59:59", "Z"),
        ])
    func dates(text: String, zone: String) throws {
        let moment = try #require(ImageMetadata.Moment(exif: text, fraction: "25", offset: zone))
        let parts = text.split { " :".contains($0) }.compactMap { Int($0) }
        let offset = try #require(moment.secondsFromUTC)
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: offset))
        let components = DateComponents(
            year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5]
        )
        let expected = try #require(calendar.date(from: components)).addingTimeInterval(0.25)
        // Foundation uses the Julian calendar before 1582; ISO 8601 does not.
        if parts[0] > 1582 { #expect(abs(moment.date().timeIntervalSince(expected)) < 1e-3) }
    }

    @Test("The caller's zone counts only if the file has none")
    func zones() throws {
        let without = try #require(
            ImageMetadata.Moment(exif: "2026:01:02 03:04:05", fraction: nil, offset: nil))
        #expect(without.date(assuming: 3_600) == without.date().addingTimeInterval(-3_600))
        #expect(without.description == "2026-01-02T03:04:05")
        let with = ImageMetadata.Moment(exif: "2026:01:02 03:04:05", fraction: nil, offset: "-03:30")
        #expect(with?.date(assuming: 3_600) == without.date().addingTimeInterval(12_600))
        #expect(with?.description == "2026-01-02T03:04:05-03:30")
    }

    @Test(
        "A date that no calendar has is nil",
        arguments: [
            "", "    :  :     :  :  ", "0000:00:00 00:00:00", "2026:13:01 00:00:00", "2026:02:29 00:00:00",
            "2026:04:31 00:00:00", "2026:01:01 24:00:00", "2026:01:01 00:60:00", "2026:01:01",
            "2026:01:01 00:00:00:00", "20260:1:1 0:0:0", "-2026:01:01 00:00:00", "2026:+1:01 00:00:00",
            "99999999999999999999:01:01 00:00:00",
        ])
    func impossible(text: String) {
        #expect(ImageMetadata.Moment(exif: text, fraction: nil, offset: nil) == nil)
    }

    @Test("A malformed fraction or zone leaves the date")
    func parts() {
        func moment(_ fraction: String?, _ offset: String?) -> String? {
            ImageMetadata.Moment(exif: "2026:01:02 03:04:05", fraction: fraction, offset: offset)?.description
        }
        #expect(moment("abc", "east") == "2026-01-02T03:04:05")
        #expect(moment("123456789012345", "+99:99") == "2026-01-02T03:04:05.123456789")
        #expect(moment("", "+") == "2026-01-02T03:04:05")
        #expect(ImageMetadata.Moment(iptcDate: "20260102", time: "030405-0330")?.secondsFromUTC == -12_600)
        #expect(ImageMetadata.Moment(iptcDate: "2026010", time: nil) == nil)
    }
}
