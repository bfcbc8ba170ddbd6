import Foundation
import KingfisherStorage
import Testing
import TestHelpers

struct StorageExpirationTests {
    private let now = Date(timeIntervalSinceReferenceDate: 1_000)

    @Test("Each expiration has its interval from now", .behaviours("C-47"))
    func intervals() {
        #expect(StorageExpiration.never.timeInterval == .infinity)
        #expect(StorageExpiration.expired.timeInterval == -.infinity)
        #expect(StorageExpiration.days(1).timeInterval == 86_400)
        #expect(StorageExpiration.seconds(2.5).timeInterval == 2.5)
        #expect(StorageExpiration.date(now + 7).timeInterval(at: now) == 7)
    }

    @Test("Each expiration has its date", .behaviours("C-47"))
    func dates() {
        #expect(StorageExpiration.never.estimatedExpirationSince(now) == .distantFuture)
        #expect(StorageExpiration.expired.estimatedExpirationSince(now) == .distantPast)
        #expect(StorageExpiration.days(2).estimatedExpirationSince(now) == now + 172_800)
        #expect(StorageExpiration.seconds(0.5).estimatedExpirationSince(now) == now + 0.5)
        #expect(StorageExpiration.date(now + 7).estimatedExpirationSince(.distantPast) == now + 7)
    }

    @Test("An expiration without remaining time is expired", .behaviours("C-47"))
    func withoutRemainingTimeIsExpired() {
        #expect(StorageExpiration.expired.isExpired)
        #expect(!StorageExpiration.never.isExpired)
        #expect(StorageExpiration.seconds(0).isExpired)
        #expect(StorageExpiration.seconds(-1).isExpired)
        #expect(StorageExpiration.seconds(.nan).isExpired)
        #expect(!StorageExpiration.seconds(0.001).isExpired)
        #expect(StorageExpiration.days(0).isExpired)
        #expect(StorageExpiration.date(now).isExpired(at: now))
        #expect(!StorageExpiration.date(now + 0.001).isExpired(at: now))
    }

    @Test func dataIsStoredUnchanged() throws {
        let data = Data([1, 2, 3])
        #expect(try data.toData() == data)
        #expect(try Data.fromData(data) == data)
        #expect(Data.empty.isEmpty)
    }
}
