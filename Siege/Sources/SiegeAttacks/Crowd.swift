import Foundation
import KingfisherTestSupport
import Synchronization

/// Concurrent clients, each of which makes one request after another.
enum Crowd {
    struct Outcome: Sendable {
        /// The last status; nil if there was no response in time.
        var status: Int?
        /// Seconds from the first attempt to the last response.
        var seconds: Double
        /// The last status with the body's first bytes, for messages.
        var text = "no response"

        var isThumbnail: Bool { status == 200 }
    }

    /// Requests all targets and returns the outcomes in the same order.
    ///
    /// A client that is told to retry later does so, at most `limit` times.
    static func ask(
        _ port: Int, for targets: [String], clients: Int, within limit: Duration = .seconds(180)
    ) -> [Outcome] {
        let outcomes = Mutex([Outcome](repeating: Outcome(status: nil, seconds: 0), count: targets.count))
        let next = Mutex(0)
        let threads = DispatchGroup()
        let end = ContinuousClock.now + limit
        for _ in 0..<min(clients, targets.count) {
            threads.enter()
            let thread = Thread {
                while true {
                    let index = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    guard index < targets.count else { break }
                    let outcome = ask(port, for: targets[index], until: end)
                    outcomes.withLock { $0[index] = outcome }
                }
                threads.leave()
            }
            thread.stackSize = 256 << 10
            thread.start()
        }
        threads.wait()
        return outcomes.withLock { $0 }
    }

    /// Requests one target, and retries if the server says so.
    static func ask(
        _ port: Int, for target: String, until end: ContinuousClock.Instant
    ) -> Outcome {
        let start = ContinuousClock.now
        var outcome = Outcome(status: nil, seconds: 0)
        while .now < end {
            guard let client = try? AttackClient(port: port) else { break }
            client.send(target, headers: [("Connection", "close")])
            let reply = client.reply(within: end - .now)
            outcome.status = reply?.status
            outcome.text = reply.map { "\($0.status) " + $0.text.prefix(200) } ?? "no response"
            guard reply?.status == 503, let seconds = reply?.retryAfter, .now + .seconds(seconds) < end else {
                break
            }
            usleep(UInt32(clamping: max(seconds, 1) * 1_000_000))
        }
        outcome.seconds = (.now - start) / .seconds(1)
        return outcome
    }
}
