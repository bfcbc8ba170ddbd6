import Foundation
import Kingfisher
import Testing

@testable import KingfisherSharedCache

struct TierEnvelopeTests {
    private var envelope: TierEnvelope {
        let entry = TierEntry(data: Data((0..<200).map { UInt8($0) }))
        return TierEnvelope(
            content: .entry(data: entry.data, checksum: entry.checksum), mediaType: "image/png",
            created: Date(timeIntervalSince1970: 1000.5), softExpiration: Date(timeIntervalSince1970: 2000),
            expiration: Date(timeIntervalSince1970: 3000), buildTime: .milliseconds(120),
            validators: Data([1, 2, 3]),
            tags: [.init(name: "ä", generation: -1), .init(name: "", generation: 7)])
    }

    @Test("An entry and a failure are read as they were written")
    func roundTrip() throws {
        #expect(TierEnvelope(try #require(envelope.encoded(for: "n")), for: "n") == envelope)
        let date = Date(timeIntervalSince1970: 5)
        for status in [nil, 404] {
            let failure = TierEnvelope(
                content: .failure(statusCode: status), created: date, softExpiration: date, expiration: date)
            #expect(TierEnvelope(try #require(failure.encoded(for: "n")), for: "n") == failure)
        }
    }

    @Test("A slice is read like a whole value, and its file starts at index 0")
    func indices() throws {
        let slice = (Data([9]) + (try #require(envelope.encoded(for: "n")))).dropFirst()
        guard case .entry(let data, _) = try #require(TierEnvelope(slice, for: "n")).content else {
            Issue.record("expected an entry")
            return
        }
        #expect(data.startIndex == 0 && data.count == 200)
    }

    @Test("A truncated or extended value is refused at every length")
    func truncated() throws {
        let stored = try #require(envelope.encoded(for: "n"))
        for length in 0..<stored.count { #expect(TierEnvelope(stored.prefix(length), for: "n") == nil) }
        #expect(TierEnvelope(stored + Data([0]), for: "n") == nil)
    }

    @Test("A value with one changed bit is refused")
    func changed() throws {
        let stored = try #require(envelope.encoded(for: "n"))
        for index in stored.indices {
            var changed = stored
            changed[index] ^= 1 << UInt8.random(in: 0..<8)
            #expect(TierEnvelope(changed, for: "n") == nil, "index \(index)")
        }
    }

    @Test("A value of another entry is refused")
    func otherEntry() throws {
        let stored = try #require(envelope.encoded(for: "n"))
        for name in ["", "m", "nn"] { #expect(TierEnvelope(stored, for: name) == nil) }
    }

    @Test("A header above the limit is not written")
    func header() {
        var large = envelope
        large.validators = Data(count: TierEnvelope.maximumHeader)
        #expect(large.encoded(for: "n") == nil)
    }

    @Test("Lifetimes end at the latest date and are shortened by at most a tenth")
    func lifetimes() throws {
        let policy = LifetimePolicy(maximum: .seconds(100), freshFraction: 0.5, earlyRenewal: 1)
        let now = Date(timeIntervalSince1970: 1000)
        let full = try #require(policy.expirations(from: now, latest: .distantFuture, random: 0))
        #expect(full.soft == now.addingTimeInterval(50) && full.hard == now.addingTimeInterval(100))
        let short = try #require(policy.expirations(from: now, latest: now.addingTimeInterval(10), random: 1))
        #expect(short.hard == now.addingTimeInterval(9))
        #expect(policy.expirations(from: now, latest: now, random: 0) == nil)
    }

    @Test("An entry is renewed early if making it takes long, and always after its soft expiration")
    func renewal() {
        let policy = LifetimePolicy(maximum: .seconds(100), freshFraction: 0.5, earlyRenewal: 1)
        let soft = envelope.softExpiration
        #expect(policy.shouldRenew(envelope, at: soft, random: 1))
        #expect(!policy.shouldRenew(envelope, at: soft.addingTimeInterval(-0.2), random: exp(-1)))
        #expect(policy.shouldRenew(envelope, at: soft.addingTimeInterval(-0.2), random: exp(-2)))
        let never = LifetimePolicy(maximum: .seconds(100), freshFraction: 0.5, earlyRenewal: 0)
        #expect(!never.shouldRenew(envelope, at: soft.addingTimeInterval(-0.2), random: 1e-300))
    }
}
