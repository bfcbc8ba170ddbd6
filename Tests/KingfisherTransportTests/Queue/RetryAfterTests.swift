import Foundation
import Testing

@testable import KingfisherTransport

@Suite struct RetryAfterTests {
    private let now = ResponseFields.start

    @Test(
        "Seconds and dates are read; anything else is ignored",
        arguments: [
            ("0", 0), ("5", 5), (" 120\t", 120), ("007", 7), ("3601", 3_600), ("86400", 3_600),
            (String(repeating: "9", count: 5_000), 3_600), (ResponseFields.date(30), 30),
            (ResponseFields.date(-30), 0), (ResponseFields.date(1e9), 3_600), ("", nil), (" ", nil),
            ("-5", nil), ("+5", nil), ("1.5", nil), ("1e3", nil), ("soon", nil), ("5, 6", nil), ("٣", nil),
            ("Tue, 99 Nov 2023 22:13:20 GMT", nil),
        ] as [(String, Double?)])
    func values(_ text: String, _ expected: Double?) {
        #expect(RetryAfter.seconds(text, now: now) == expected)
    }

    @Test(
        "A 429 blocks for a second unless it says otherwise; a 503 blocks only if it says how long",
        arguments: [
            (429, nil, .seconds(1)), (429, "garbage", .seconds(1)), (429, "-1", .seconds(1)),
            (429, "7", .seconds(7)), (429, "0", .zero), (503, nil, nil), (503, "garbage", nil),
            (503, "7", .seconds(7)), (200, "7", nil), (301, "7", nil), (404, "7", nil), (500, "7", nil),
        ] as [(Int, String?, Duration?)])
    func waits(_ status: Int, _ field: String?, _ expected: Duration?) {
        let wait = RetryAfter.wait(
            status: status, field: { $0 == "Retry-After" ? field : nil }, now: now)
        #expect(wait == expected)
    }

    @Test(
        "A date is compared with the server's clock, and with the local one if that is not known",
        arguments: [
            (ResponseFields.date(-7_200), -7_160, .seconds(40)),
            (ResponseFields.date(7_200), 7_240, .seconds(40)), ("soon", 7, .seconds(7)),
            (nil, 7, .seconds(7)), (nil, -7, .zero),
        ] as [(String?, TimeInterval, Duration)])
    func clocks(_ date: String?, _ end: TimeInterval, _ expected: Duration) {
        let fields = ["Date": date, "Retry-After": ResponseFields.date(end)]
        #expect(RetryAfter.wait(status: 503, field: { fields[$0] ?? nil }, now: now) == expected)
    }
}
