import Foundation
import Testing

@testable import KingfisherTransport

/// Freshness within the bounds of a service.
@Suite struct FreshnessBoundsTests {
    struct Row: Sendable {
        let fields: [String: String]
        let minimum: TimeInterval
        let byDefault: TimeInterval
        let lifetime: TimeInterval
        var obeysNoStore = true
        var isStorable = true
    }

    private static let rows = [
        Row(fields: [:], minimum: 0, byDefault: 0, lifetime: 0),
        Row(fields: [:], minimum: 0, byDefault: 500, lifetime: 500),
        Row(fields: [:], minimum: 60, byDefault: 10, lifetime: 60),
        Row(fields: ["Cache-Control": "max-age=5"], minimum: 60, byDefault: 500, lifetime: 60),
        Row(fields: ["Cache-Control": "max-age=100"], minimum: 60, byDefault: 500, lifetime: 100),
        Row(fields: ["Cache-Control": "max-age=0"], minimum: 0, byDefault: 500, lifetime: 0),
        Row(fields: ["Cache-Control": "no-cache"], minimum: 60, byDefault: 500, lifetime: 60),
        Row(fields: ["Cache-Control": "no-cache, max-age=900"], minimum: 60, byDefault: 0, lifetime: 60),
        Row(fields: ["Expires": ResponseFields.date(-100)], minimum: 60, byDefault: 500, lifetime: 60),
        Row(fields: ["Expires": ResponseFields.date(-100)], minimum: 0, byDefault: 500, lifetime: 0),
        // A tenth of the time since the last modification.
        Row(fields: ["Last-Modified": ResponseFields.date(-1_000)], minimum: 0, byDefault: 5, lifetime: 100),
        Row(
            fields: ["Cache-Control": "no-store"], minimum: 60, byDefault: 0, lifetime: 60, isStorable: false),
        Row(
            fields: ["Cache-Control": "no-store"], minimum: 60, byDefault: 0, lifetime: 60,
            obeysNoStore: false),
    ]

    @Test(arguments: rows.indices)
    func `The lifetime is within the bounds`(index: Int) throws {
        let row = Self.rows[index]
        let freshness = try HTTPFreshness.of(row.fields)
        let bounded = freshness.bounded(
            minimumLifetime: row.minimum, defaultLifetime: row.byDefault, obeysNoStore: row.obeysNoStore)
        #expect(bounded.lifetime == row.lifetime && bounded.isStorable == row.isStorable)
        let now = freshness.receivedAt
        func reuse(after seconds: TimeInterval) -> HTTPFreshness.Reuse {
            bounded.reuse(for: .unknown, at: now.addingTimeInterval(seconds))
        }
        guard row.isStorable else { return #expect(reuse(after: 0) == .unusable) }
        if row.lifetime > 0 { #expect(reuse(after: row.lifetime - 1) == .fresh) }
        #expect(reuse(after: row.lifetime + 1) == .revalidate)
    }

    @Test func `What a response varies on is respected`() throws {
        let varying = try HTTPFreshness.of(["Vary": "Cookie"])
        let bounded = varying.bounded(minimumLifetime: 60, defaultLifetime: 60, obeysNoStore: false)
        #expect(bounded.reuse(for: .known(nil), at: varying.receivedAt) == .revalidate)
    }

    @Test func `A part, and the response to POST, are never stored, also after a round trip`() throws {
        for (status, method) in [(206, "GET"), (200, "POST")] {
            let freshness = try HTTPFreshness.of([:], status: status, to: method)
            let read = try #require(HTTPFreshness(freshness.encoded))
            #expect(read.isForbidden)
            let bounded = read.bounded(minimumLifetime: 60, defaultLifetime: 60, obeysNoStore: false)
            #expect(!bounded.isStorable)
        }
    }

    @Test func `A huge lifetime is limited`() throws {
        let bounded = try HTTPFreshness.of([:]).bounded(
            minimumLifetime: .infinity, defaultLifetime: 1e300, obeysNoStore: true)
        #expect(bounded.lifetime == TimeInterval(DeltaSeconds.most))
    }
}
