import Foundation
import Testing

@testable import KingfisherTransport

/// RFC 9110, 5.6.7.
@Suite struct HTTPDateTests {
    /// 2023-11-14 22:13:20.
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        "The three forms of a date are read (RFC 9110, 5.6.7)",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func threeForms(text: String) {
        #expect(HTTPDate.read(text, now: now) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(
        "A year of two digits more than 50 years ahead is in the past (RFC 9110, 5.6.7)",
        arguments: [
            ("Friday, 01-Jan-73 00:00:00 GMT", "Sun, 01 Jan 2073 00:00:00 GMT"),
            ("Friday, 01-Jan-74 00:00:00 GMT", "Tue, 01 Jan 1974 00:00:00 GMT"),
            ("Friday, 01-Jan-00 00:00:00 GMT", "Sat, 01 Jan 2000 00:00:00 GMT"),
        ])
    func twoDigitYears(short: String, long: String) {
        let date = HTTPDate.read(short, now: now)
        #expect(date != nil && date == HTTPDate.read(long, now: now))
    }

    @Test("Leap days, early dates and a leap second are read")
    func unusualDays() {
        #expect(
            HTTPDate.read("Thu, 29 Feb 2024 23:59:60 GMT", now: now)?.timeIntervalSince1970 == 1_709_251_200)
        #expect(HTTPDate.read("Thu Feb 29 00:00:00 2024", now: now)?.timeIntervalSince1970 == 1_709_164_800)
        #expect(HTTPDate.read("Thu, 01 Jan 1970 00:00:00 GMT", now: now)?.timeIntervalSince1970 == 0)
        #expect(HTTPDate.read("Wed, 31 Dec 1969 23:59:59 GMT", now: now)?.timeIntervalSince1970 == -1)
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 6 Nov 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
            "Sun, 30 Feb 2024 00:00:00 GMT", "Sun, 29 Feb 2023 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        ])
    func otherTextIsRefused(text: String) {
        #expect(HTTPDate.read(text, now: now) == nil)
    }
}
