import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

@Suite struct FailureTableTests {
    private let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

    private func failure(_ status: Int?, _ seconds: TimeInterval = 60, noted: TimeInterval = 0)
        -> FailureTable.Failure
    {
        FailureTable.Failure(
            statusCode: status, noted: start + noted, expiration: start + noted + seconds)
    }

    private func found(
        _ table: FailureTable, _ key: String, _ computedKey: String? = nil, at seconds: TimeInterval = 0
    ) -> FailureTable.Failure? {
        table.failure(forKey: key, computedKey: computedKey ?? key, at: start + seconds)
    }

    @Test("A failure is known until it expires, and not before it was noted")
    func expiry() {
        var table = FailureTable()
        #expect(found(table, "a") == nil)
        let isNew = table.note(failure(404), forKey: "a", computedKey: "a")
        #expect(isNew && found(table, "a", at: 0) == failure(404) && found(table, "a", at: 59.9) != nil)
        #expect(found(table, "a", at: 60) == nil && found(table, "b") == nil)
        #expect(found(table, "a", at: -0.1) == nil, "the clock was set back")
    }

    @Test("A repeated failure expires as the first one, and another status replaces it")
    func repeated() {
        var table = FailureTable()
        let results = [
            table.note(failure(404), forKey: "a", computedKey: "a"),
            table.note(failure(404, noted: 30), forKey: "a", computedKey: "a"),
            table.note(failure(410, noted: 31), forKey: "a", computedKey: "a"),
            table.note(failure(410, noted: 91), forKey: "a", computedKey: "a"),
        ]
        #expect(results == [true, false, true, true] && table.count == 1)
        #expect(found(table, "a", at: 120) == failure(410, noted: 91))
    }

    @Test("Expired failures are removed when another one is noted")
    func expired() {
        var table = FailureTable()
        for number in 0..<50 { _ = table.note(failure(404), forKey: "\(number)", computedKey: "") }
        _ = table.note(failure(404, 61), forKey: "long", computedKey: "")
        _ = table.note(failure(404, noted: 60), forKey: "new", computedKey: "")
        #expect(table.count == 2 && table.keyBytes == 7 && found(table, "long", at: 60) != nil)
    }

    @Test("A status applies to every processor, bytes that are no image to their processor only")
    func processors() {
        var table = FailureTable()
        _ = table.note(failure(404), forKey: "a", computedKey: "a@p")
        #expect(found(table, "a") != nil && found(table, "a", "a@q") != nil)
        _ = table.note(failure(nil), forKey: "b", computedKey: "b@p")
        #expect(
            found(table, "b", "b@p") != nil && found(table, "b", "b@q") == nil && found(table, "b") == nil)
        _ = table.note(failure(nil), forKey: "c", computedKey: "c")
        #expect(found(table, "c") != nil && found(table, "c", "c@p") == nil)
    }

    @Test("A failure without a lifetime is not noted", arguments: [0, -1] as [TimeInterval])
    func noLifetime(_ seconds: TimeInterval) {
        var table = FailureTable()
        let isNew = table.note(failure(404, seconds), forKey: "a", computedKey: "a")
        #expect(!isNew && table.count == 0)
    }

    @Test("A removal forgets the source and its processed image; keys are compared by their bytes")
    func removal() {
        var table = FailureTable()
        _ = table.note(failure(404), forKey: "caf\u{e9}", computedKey: "x")
        _ = table.note(failure(404), forKey: "cafe\u{301}", computedKey: "x")
        #expect(table.count == 2)
        _ = table.note(failure(nil), forKey: "a", computedKey: "a@p")
        table.remove(forKey: "a", computedKey: "a@q")
        #expect(found(table, "a", "a@p") != nil)
        table.remove(forKey: "a", computedKey: "a@p")
        #expect(found(table, "a", "a@p") == nil && table.count == 2)
        table.removeAll { $0.hasPrefix("caf\u{e9}") && $0.utf8.count == 5 }
        #expect(table.count == 1)
        table.removeAll()
        #expect(table.count == 0 && table.keyBytes == 0)
    }

    @Test("At most 10,000 failures are known; the ones that expire first are forgotten first")
    func countLimit() {
        var table = FailureTable()
        for number in 0..<12_000 {
            // The first one expires last.
            let seconds = number == 0 ? 100_000 : TimeInterval(number)
            _ = table.note(failure(404, seconds), forKey: "\(number)", computedKey: "")
        }
        #expect(table.count == 10_000)
        #expect([0, 1, 2_000, 2_001, 11_999].filter { found(table, "\($0)") != nil } == [0, 2_001, 11_999])
    }

    @Test("The keys have at most 4 MiB, so that long URLs cannot exhaust memory")
    func byteLimit() {
        var table = FailureTable()
        let padding = String(repeating: "x", count: 30_000)
        for number in 0..<200 {
            _ = table.note(
                failure(404, TimeInterval(100 + number)), forKey: "\(number)\(padding)", computedKey: "")
            #expect(table.keyBytes <= 4 << 20)
        }
        #expect(table.count == 139)
        #expect(found(table, "199\(padding)") != nil && found(table, "60\(padding)") == nil)
        let huge = String(repeating: "x", count: 32 << 10)
        let isNew = [huge + "x", huge].map {
            table.note(failure(404, 10_000), forKey: $0, computedKey: "")
        }
        #expect(isNew == [false, true] && table.count == 139 && found(table, "61\(padding)") == nil)
    }

    @Test("Lifetimes are the duration within the jitter, on both sides of it")
    func jitter() {
        var generator = SeededGenerator(seed: 1)
        let caching = NegativeCaching(duration: 100, jitter: 0.2)
        let lifetimes = (0..<1_000).map { _ in caching.lifetime(using: &generator) }
        #expect(lifetimes.allSatisfy { (80...120).contains($0) })
        #expect((lifetimes.min() ?? 0) < 85 && (lifetimes.max() ?? 0) > 115)
        #expect(NegativeCaching() == NegativeCaching(duration: 60, jitter: 0.1))
    }

    @Test(
        "Durations and jitters that make no sense are clamped",
        arguments: [
            (60, 0, 60...60), (0, 0.5, 0...0), (-60, 0.5, 0...0), (.nan, 0.5, 0...0), (60, .nan, 60...60),
            (60, -3, 60...60), (60, 5, 0...120), (.infinity, 0, 31_536_000...31_536_000),
        ] as [(TimeInterval, Double, ClosedRange<TimeInterval>)])
    func clamped(_ duration: TimeInterval, _ jitter: Double, _ range: ClosedRange<TimeInterval>) {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<100 {
            let lifetime = NegativeCaching(duration: duration, jitter: jitter).lifetime(using: &generator)
            #expect(range.contains(lifetime))
        }
    }
}
