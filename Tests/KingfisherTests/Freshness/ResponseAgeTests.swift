import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// What counts as the age of a response: RFC 9111, 4.2.3.
@Suite struct ResponseAgeTests {
    private typealias Outcome = FreshnessRig.Outcome

    /// Where one minute passes.
    enum Stage {
        case queue, redirect, response, body, decoding
    }

    @Test(
        "Queueing and a redirect add no age; a slow response, body and decoding do",
        arguments: [
            (.queue, false, 0), (.redirect, false, 0), (.response, false, 60), (.body, false, 60),
            (.decoding, false, 60), (.queue, true, 0), (.redirect, true, 0), (.response, true, 60),
        ] as [(Stage, Bool, TimeInterval)])
    func stages(stage: Stage, isConfirmed: Bool, age: TimeInterval) async throws {
        let request = try HeldRequest(in: stage)
        let rig = request.rig
        defer { request.release() }
        if stage == .redirect { rig.serve { ($0.location, $0.redirect.status) = ("/a", 301) } }
        if isConfirmed {
            _ = try await rig.retrieve(request.options).get()
            rig.clock.advance(by: 101)
        }
        try await request.start()
        rig.clock.advance(by: 60)
        request.release()
        #expect(try await request.outcomes.first().get().cacheType == (isConfirmed ? .memory : .none))
        await rig.settle()
        rig.clock.advance(by: 99 - age)
        try await rig.expect(.memory, requests: 0, request.options)
        rig.clock.advance(by: 1)
        try await rig.expect(.memory, requests: stage == .redirect ? 2 : 1, request.options)
    }

    /// A request that is held in one stage.
    private struct HeldRequest {
        let rig: FreshnessRig
        let options: KingfisherOptionsInfo
        let outcomes = Inbox<Outcome>()
        private let stage: Stage
        private let gate = ServerGate()
        private let valve: Valve

        init(in stage: Stage) throws {
            let valve = Valve()
            let processor = CountingProcessor("p") { image in
                if stage == .decoding { valve.pass() }
                return image
            }
            (self.stage, self.valve) = (stage, valve)
            options = [.processor(processor)]
            rig = try FreshnessRig("max-age=100")
        }

        /// Returns when the request has reached its stage.
        func start() async throws {
            switch stage {
            case .queue, .redirect, .response: rig.serve { $0.gate = gate }
            case .body: rig.serve { $0.bodyGate = gate }
            case .decoding: break
            }
            if stage == .queue {
                for number in 0..<6 {
                    rig.manager.retrieveImage(with: rig.server.url("/other\(number)")) { _ in }
                }
                #expect(await poll { gate.arrived == 6 })
            }
            let all: KingfisherOptionsInfo = [.httpCaching, .waitForCache] + options
            rig.manager.retrieveImage(with: rig.url, options: all) { [outcomes] in outcomes.put($0) }
            let downloader = rig.downloader
            switch stage {
            case .queue:
                #expect(
                    await poll {
                        let transport = downloader.settings.withLock { $0.transport }
                        return (transport as? QueuedTransport)?.waitingTransfers == 1
                    })
            case .redirect, .response: #expect(await poll { gate.arrived == 1 })
            case .body:
                #expect(
                    await poll {
                        downloader.transfers.withLock { $0.values.contains { $0.response != nil } }
                    })
            case .decoding: _ = try await valve.insertions.first()
            }
        }

        func release() {
            rig.serve { ($0.gate, $0.bodyGate) = (nil, nil) }
            gate.release()
            valve.open()
        }
    }

    private struct Row: Sendable {
        /// Seconds from the start of the download; nil if the transport does not report it.
        let request: TimeInterval?
        let response: TimeInterval
        /// When the record is made, up to a minute after the end of the body.
        let made: TimeInterval
        var age: String?
        var date: TimeInterval?
        /// The expected age when the record is made.
        let expected: TimeInterval
    }

    private static let rows = [
        Row(request: 0, response: 0, made: 0, expected: 0),
        Row(request: 60, response: 60, made: 60, expected: 0),
        Row(request: 60, response: 63, made: 63, expected: 3),
        Row(request: 60, response: 63, made: 123, expected: 63),
        Row(request: 60, response: 60, made: 120, age: "7", expected: 67),
        Row(request: 60, response: 63, made: 123, age: "7", expected: 70),
        // The apparent age includes the delay already.
        Row(request: 60, response: 63, made: 123, date: 53, expected: 70),
        Row(request: 60, response: 63, made: 123, age: "9", date: 53, expected: 72),
        Row(request: 60, response: 63, made: 123, date: 90, expected: 63),
        Row(request: nil, response: 63, made: 123, expected: 123),
    ]

    @Test("RFC 9111, 4.2.3: the age of a response when its record is made, and of a 304", arguments: rows)
    private func table(row: Row) throws {
        let (clock, url) = (PacedClock(), try #require(URL(string: "https://a.example/1")))
        func arrival(_ status: Int) throws -> ResponseArrival {
            var fields = ["ETag": "\"1\""]
            fields["Age"] = row.age
            fields["Date"] = row.date.map { PacedClock.text($0) }
            let response = try #require(
                HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
            return ResponseArrival(
                TransportResponse(
                    response, requestTime: row.request.map { clock.zero + .seconds($0) },
                    responseTime: clock.zero + .seconds(row.response)),
                to: URLRequest(url: url), startedAt: clock.zero)
        }
        let now = PacedClock.start + row.made
        let (whole, confirmation) = (try arrival(200), try arrival(304))
        let freshness = whole.freshness(by: clock, nil)
        #expect(freshness.currentAge(at: now) == row.expected)
        let old = HTTPFreshness(
            whole.response, accept: nil, delay: 0, at: PacedClock.start - 1_000_000)
        #expect(confirmation.confirmation(of: old, by: clock, nil)?.currentAge(at: now) == row.expected)
        // Later callers that share it get the same record, independent of their clock.
        #expect(whole.freshness(by: ManualClock(), nil) == freshness)
    }

    @Test("The wall clock converts an instant of a minute ago")
    func wallClock() {
        let clock = WallClock()
        let error = clock.time(of: .now - .seconds(60)).timeIntervalSince(clock.now) + 60
        #expect(abs(error) < 1)
    }
}

/// A clock that starts at `start` and runs at normal speed.
private struct PacedClock: StorageClock {
    /// Sun, 06 Nov 1994 08:00:00 GMT.
    static let start = Date(timeIntervalSince1970: 784_108_800)
    let zero = ContinuousClock.now

    var now: Date { time(of: .now) }

    func time(of moment: ContinuousClock.Instant) -> Date {
        Self.start + (moment - zero) / .seconds(1)
    }

    /// The HTTP date of a moment less than an hour after the start.
    static func text(_ seconds: TimeInterval) -> String {
        let (minutes, rest) = Int(seconds).quotientAndRemainder(dividingBy: 60)
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "Sun, 06 Nov 1994 08:\(digits(minutes)):\(digits(rest)) GMT"
    }
}
