import Foundation
import Kingfisher
import KingfisherService
import Synchronization
import Testing

@testable import KingfisherServer

/// A clock that the test moves.
final class TestClock: Sendable {
    private let state = Mutex(ContinuousClock.now)

    var time: ContinuousClock.Instant { state.withLock { $0 } }

    func advance(_ duration: Duration) { state.withLock { $0 = $0.advanced(by: duration) } }
}

extension ObservabilityTests {
    @Suite struct RequestTimerTests {
        private let clock = TestClock()
        private let timer: RequestTimer
        private static let url = URL(string: "https://example.com/a.jpg?x=1")!

        init() {
            timer = RequestTimer { [clock] in clock.time }
        }

        private var parts: [String] { timer.parts.map { "\($0.span) \($0.duration / .milliseconds(1))" } }

        private func report(_ event: KingfisherEvent, after milliseconds: Int) {
            clock.advance(.milliseconds(milliseconds))
            timer.receive(event)
        }

        @Test(
            arguments: [
                ([], []),
                ([(.downloadBegan, 5), (.downloadEnded, 10)], ["queue 5.0", "downloading 10.0"]),
                ([(.buildBegan, 5), (.buildEnded, 10)], ["queue 5.0", "processing 10.0"]),
                (
                    [(.downloadBegan, 1), (.downloadEnded, 2), (.buildBegan, 3), (.buildEnded, 4)],
                    ["queue 1.0", "downloading 2.0", "processing 4.0"]
                ),
                // Two downloads, for example with a retry, are one part.
                (
                    [(.downloadBegan, 1), (.downloadEnded, 2), (.downloadBegan, 3), (.downloadEnded, 4)],
                    ["queue 1.0", "downloading 9.0"]
                ),
                // Decoding ends a download whose end is not known.
                (
                    [(.downloadBegan, 1), (.buildBegan, 2), (.buildEnded, 3)],
                    ["queue 1.0", "downloading 2.0", "processing 3.0"]
                ),
                ([(.downloadEnded, 1), (.buildEnded, 1)], []), ([(.downloadBegan, 1)], []),
            ] as [([(RequestTimer.Mark, Int)], [String])])
        func `Marks make parts`(_ marks: [(RequestTimer.Mark, Int)], _ expected: [String]) {
            for (mark, milliseconds) in marks {
                clock.advance(.milliseconds(milliseconds))
                timer.mark(mark)
            }
            #expect(parts == expected)
        }

        @Test func `Events make parts, and encoding belongs to processing`() {
            report(.requestBegan(source: "a"), after: 1)
            report(.downloadStarted(url: Self.url), after: 4)
            report(.downloadFinished(url: Self.url, status: 200, bytes: 1, duration: 0.020), after: 20)
            report(.processed(source: "a", processor: "", isSuccess: true, duration: 0.030), after: 31)
            report(.requestFinished(source: "a", cacheType: .none, duration: 0.05), after: 7)
            #expect(parts == ["queue 5.0", "downloading 20.0", "processing 37.0"])
            #expect(timer.queueTime == .milliseconds(5))
        }

        @Test func `A request that a cache answers has no parts`() {
            report(.requestBegan(source: "a"), after: 1)
            report(.requestFinished(source: "a", cacheType: .disk, duration: 0.01), after: 10)
            #expect(parts.isEmpty)
            #expect(timer.queueTime == nil)
            let timing = timer.timing(cache: .disk)
            #expect((timing.cache, timing.download, timing.build) == (.disk, nil, nil))
            #expect(timing.total == .milliseconds(11))
        }

        @Test func `A shared download that began before the request counts from its beginning`() {
            report(.downloadFinished(url: Self.url, status: 200, bytes: 1, duration: 5), after: 8)
            #expect(parts == ["queue 0.0", "downloading 8.0"])
        }

        @Test(arguments: [Double.nan, -1, .infinity, 1e300])
        func `Durations that make no sense are bounded`(_ duration: Double) {
            report(.processed(source: "a", processor: "", isSuccess: true, duration: duration), after: 3)
            let length = timer.parts.last?.duration
            #expect(length == (duration > 0 ? .milliseconds(3) : .zero))
        }

        @Test func `The timing of a response has all durations`() {
            report(
                .downloadFailed(url: Self.url, error: .requestError(reason: .emptyRequest), duration: 0.002),
                after: 3)
            report(.processed(source: "a", processor: "", isSuccess: false, duration: 0.001), after: 2)
            clock.advance(.milliseconds(5))
            let timing = timer.timing(cache: .miss)
            #expect(timing.cache == .miss)
            #expect(timing.download == .milliseconds(2))
            #expect(timing.build == .milliseconds(1))
            #expect(timing.total == .milliseconds(10))
        }

        @Test func `Nothing changes after the end`() {
            clock.advance(.milliseconds(5))
            #expect(timer.end() == .milliseconds(5))
            clock.advance(.milliseconds(5))
            timer.mark(.downloadBegan)
            timer.mark(.downloadEnded)
            #expect(timer.end() == .milliseconds(5))
            #expect(timer.timing(cache: nil).total == .milliseconds(5))
            #expect(parts.isEmpty)
        }

        @Test func `Only requests of the source get its events`() async {
            let timers = RequestTimers()
            let other = RequestTimer { [clock] in clock.time }
            await timers.follow(timer, .network(KF.ImageResource(downloadURL: Self.url))) {
                await timers.follow(
                    other, .network(KF.ImageResource(downloadURL: Self.url.appending(path: "b")))
                ) {
                    timers.receive(.downloadStarted(url: Self.url))
                    clock.advance(.milliseconds(4))
                    timers.receive(.downloadFinished(url: Self.url, status: 200, bytes: 1, duration: 0.004))
                }
            }
            #expect(parts == ["queue 0.0", "downloading 4.0"])
            #expect(other.parts.isEmpty)
        }

        @Test func `Several requests of one source get its events`() {
            let timers = RequestTimers()
            let other = RequestTimer { [clock] in clock.time }
            timers.add(timer, ["a", "b"])
            timers.add(other, ["a"])
            timers.receive(.processed(source: "a", processor: "", isSuccess: true, duration: 0))
            #expect(timer.parts.count == 2)
            #expect(other.parts.count == 2)
            timers.remove(other, ["a"])
            #expect(timers.count == 2)
        }

        @Test func `A load that fails is followed no longer`() async {
            let timers = RequestTimers()
            await #expect(throws: CancellationError.self) {
                try await timers.follow(
                    timer, .network(KF.ImageResource(downloadURL: Self.url)), names: ["b"]
                ) {
                    #expect(timers.count == 2)
                    throw CancellationError()
                }
            }
            #expect(timers.count == 0)
            timers.receive(.processed(source: "b", processor: "", isSuccess: true, duration: 0))
            #expect(parts.isEmpty)
        }

        @Test func `A provider is followed by its key`() {
            let provider = RawImageDataProvider(data: Data(), cacheKey: "local:///a b.jpg")
            #expect(RequestTimers.name(of: .provider(provider)) == "local:///a b.jpg")
        }
    }
}
