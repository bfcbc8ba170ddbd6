import Testing

@testable import KingfisherTransport

@Suite struct RequestPaceTests {
    private let start = MonotonicTime.now
    private let a = Origin(scheme: "https", host: "a", port: 443)
    private let b = Origin(scheme: "https", host: "b", port: 443)

    private func pace(_ rate: Double, burst: Int = 1) -> RequestPace {
        var pace = RequestPace()
        pace.setRate(RequestRate(requestsPerSecond: rate, burst: burst))
        return pace
    }

    /// The times after the start at which requests start, if each starts as soon as it may.
    private func starts(_ count: Int, _ pace: inout RequestPace) -> [Duration] {
        var time = start
        return (0..<count).map { _ in
            time = pace.due(a, at: time) ?? time
            pace.take(a, at: time)
            return time - start
        }
    }

    @Test("After a burst, requests start at even intervals")
    func burst() {
        var pace = pace(4, burst: 3)
        let expected: [Duration] = [0, 0, 0, 250, 500, 750].map { .milliseconds($0) }
        #expect(starts(6, &pace) == expected)
    }

    @Test("A bucket fills up to its burst while nothing starts, and not further")
    func refill() {
        var pace = pace(10, burst: 2)
        _ = starts(4, &pace)
        let later = start + .seconds(60)
        for expected in [nil, nil, later + .milliseconds(100)] {
            #expect(pace.due(a, at: later) == expected)
            pace.take(a, at: later)
        }
    }

    @Test("Each host has a bucket")
    func hosts() {
        var pace = pace(1)
        pace.take(a, at: start)
        #expect(pace.due(a, at: start) == start + .seconds(1))
        #expect(pace.due(b, at: start) == nil)
        let other = Origin(scheme: "http", host: "a", port: 80)
        #expect(pace.due(other, at: start) == nil)
    }

    @Test(
        "Rates that are no rate do not limit, and tiny ones and bursts are clamped",
        arguments: [
            (.infinity, 1, .zero), (.nan, 1, .zero), (0, 1, .seconds(1_000)), (-5, 1, .seconds(1_000)),
            (-.infinity, 1, .seconds(1_000)), (1, 0, .seconds(1)), (1, .min, .seconds(1)), (1, .max, .zero),
        ] as [(Double, Int, Duration)])
    func clamped(_ rate: Double, _ burst: Int, _ second: Duration) {
        var pace = pace(rate, burst: burst)
        #expect(starts(2, &pace) == [.zero, second])
    }

    @Test("Without a rate nothing is paced or remembered")
    func inactive() {
        var pace = RequestPace()
        pace.take(a, at: start)
        pace.block(a, for: .seconds(10), at: start)
        #expect(!pace.isActive && pace.knownHosts == (0, 0))
        #expect(pace.due(a, at: start) == nil && pace.refusal(a, at: start) == nil)
    }

    @Test("A refusal for no time is ignored")
    func noBlock() {
        var pace = pace(.infinity)
        pace.block(a, for: .zero, at: start)
        pace.block(a, for: .seconds(-5), at: start)
        #expect(pace.isActive && pace.knownHosts == (0, 0))
    }

    @Test("A refusal blocks its host until its end, and is never shortened by another")
    func blocks() {
        var pace = pace(.infinity)
        pace.block(a, for: .seconds(10), at: start)
        pace.block(a, for: .seconds(3), at: start)
        #expect(pace.due(a, at: start) == start + .seconds(10))
        #expect(pace.due(b, at: start) == nil)
        #expect(pace.due(a, at: start + .seconds(10)) == nil)
        pace.advance(to: start + .seconds(9))
        #expect(pace.knownHosts == (0, 1))
        pace.advance(to: start + .seconds(10))
        #expect(pace.knownHosts == (0, 0))
    }

    @Test("Of a bucket and a refusal, the later one decides")
    func both() {
        var pace = pace(0.1)
        pace.take(a, at: start)
        pace.block(a, for: .seconds(5), at: start)
        #expect(pace.due(a, at: start) == start + .seconds(10))
        pace.block(a, for: .seconds(15), at: start)
        #expect(pace.due(a, at: start) == start + .seconds(15))
    }

    @Test("A request is refused while it would wait for more than a minute, and an hour is the maximum")
    func refusals() {
        var pace = pace(.infinity)
        pace.block(a, for: .seconds(60), at: start)
        #expect(pace.refusal(a, at: start) == nil)
        pace.block(a, for: .seconds(1_000_000), at: start)
        #expect(pace.refusal(a, at: start) == .seconds(3_600))
        #expect(pace.refusal(a, at: start + .seconds(3_539)) == .seconds(61))
        #expect(pace.refusal(a, at: start + .seconds(3_540)) == nil)
        #expect(pace.refusal(b, at: start) == nil)
    }

    @Test("A long wait for the rate is not a refusal")
    func slowRate() {
        var pace = pace(0.001)
        pace.take(a, at: start)
        #expect(pace.due(a, at: start) == start + .seconds(1_000) && pace.refusal(a, at: start) == nil)
    }

    @Test("A changed rate starts with full buckets, and refusals remain until there is no rate")
    func changes() {
        var pace = pace(0.01)
        for _ in 0..<5 { pace.take(a, at: start) }
        pace.block(b, for: .seconds(5), at: start)
        pace.setRate(RequestRate(requestsPerSecond: 2))
        #expect(pace.due(a, at: start) == nil && pace.due(b, at: start) == start + .seconds(5))
        pace.take(a, at: start)
        #expect(pace.due(a, at: start) == start + .milliseconds(500))
        pace.setRate(.unlimited)
        #expect(pace.due(a, at: start) == nil && pace.due(b, at: start) == start + .seconds(5))
        pace.setRate(nil)
        #expect(pace.due(b, at: start) == nil && !pace.isActive && pace.knownHosts == (0, 0))
    }

    @Test("At most 1,000 refusals are remembered; the ones that end first are forgotten early")
    func boundedRefusals() {
        var pace = pace(1)
        pace.take(a, at: start)
        for number in 0..<5_000 {
            pace.block(
                host(number), for: .seconds(number == 0 ? 3_000 : 100) + .milliseconds(number), at: start)
        }
        #expect(RequestPace.maxHosts == 1_000 && pace.knownHosts == (1, 1_000))
        let due = [0, 1, 4_000, 4_001, 4_999].filter { pace.due(host($0), at: start) != nil }
        #expect(due == [0, 4_001, 4_999])
        #expect(pace.due(a, at: start) == start + .seconds(1), "refusals of other hosts change no bucket")
    }

    @Test("At most 1,000 buckets are remembered; those of busy hosts stay")
    func boundedBuckets() {
        var pace = pace(1, burst: 2)
        for _ in 0..<3 { pace.take(a, at: start) }
        for number in 0..<5_000 { pace.take(host(number), at: start) }
        #expect(pace.knownHosts == (1_000, 0))
        #expect(pace.due(a, at: start) == start + .seconds(2))
    }

    private func host(_ number: Int) -> Origin { Origin(scheme: "http", host: "h\(number)", port: 80) }
}
