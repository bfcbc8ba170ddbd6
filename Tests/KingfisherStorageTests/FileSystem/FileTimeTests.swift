import CLinux
import Foundation
import Testing

@testable import KingfisherStorage

struct FileTimeTests {
    @Test(arguments: [0, 1.5, -1.25, 800_000_000.123_456_7, -2e9])
    func roundTrip(reference: TimeInterval) {
        let date = Date(timeIntervalSinceReferenceDate: reference)
        let time = timespec(date)
        #expect((0..<1_000_000_000).contains(time.tv_nsec))
        #expect(abs(Date(time).timeIntervalSince(date)) < 2e-7)
    }

    @Test func keepsFractions() {
        let time = timespec(Date(timeIntervalSince1970: 1.25))
        #expect(time.tv_sec == 1)
        #expect(time.tv_nsec == 250_000_000)
        let before = timespec(Date(timeIntervalSince1970: -0.25))
        #expect(before.tv_sec == -1)
        #expect(before.tv_nsec == 750_000_000)
    }

    @Test(arguments: [TimeInterval.infinity, -.infinity, .nan, 1e300, -1e300])
    func extremesStayInside(reference: TimeInterval) {
        let date = Date(timespec(Date(timeIntervalSinceReferenceDate: reference)))
        #expect(date >= .distantPast && date <= .distantFuture)
        #expect((date == .distantFuture) == (reference > 0))
    }
}
