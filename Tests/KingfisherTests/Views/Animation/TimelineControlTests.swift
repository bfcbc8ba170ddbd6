import Foundation
import Testing

@testable import Kingfisher

/// Seeks and rates of a timeline.
@Suite struct TimelineControlTests {
    private typealias Event = FrameTimeline.Event

    /// Frames of 0.1, 0.2 and 0.3 s, so that a loop takes 0.6 s.
    private func timeline(plays: UInt? = nil, rate: Double = 1) -> FrameTimeline {
        var timeline = FrameTimeline(durations: [0.1, 0.2, 0.3], plays: plays)
        timeline.rate = rate
        return timeline
    }

    private func isClose(_ one: TimeInterval?, _ other: TimeInterval) -> Bool {
        one.map { abs($0 - other) < 1e-9 } ?? false
    }

    @Test(
        "A time has its frame and the rest of that frame; times outside the loop are clamped",
        arguments: [
            (0, 0, 0.1), (0.04, 0, 0.06), (0.1, 1, 0.2), (0.1 + 0.2, 2, 0.3), (0.5, 2, 0.1), (0.6, 2, 0),
            (7, 2, 0), (.infinity, 2, 0), (-1, 0, 0.1), (.nan, 0, 0.1),
        ] as [(TimeInterval, Int, TimeInterval)])
    func seekToTime(time: TimeInterval, index: Int, rest: TimeInterval) {
        var timeline = timeline()
        timeline.seek(to: time)
        #expect(timeline.index == index && isClose(timeline.timeToNextChange, rest))
        #expect(isClose(timeline.position, min(max(time.isNaN ? 0 : time, 0), 0.6)))
    }

    @Test(
        "A frame index outside the animation is clamped", arguments: [(-1, 0), (1, 1), (3, 2), (Int.max, 2)])
    func seekToFrame(index: Int, expected: Int) {
        var timeline = timeline()
        timeline.seek(toFrame: index)
        #expect(timeline.index == expected)
    }

    @Test("After a seek, no time passes until the frame is ready") func waitsForTheFrame() {
        var timeline = timeline()
        _ = timeline.advance(by: 0.05)
        timeline.seek(toFrame: 2)
        #expect(timeline.isHeld)
        #expect(timeline.advance(by: 5) { _ in false }.isEmpty)
        #expect(timeline.index == 2 && timeline.isHeld && isClose(timeline.timeToNextChange, 0.3))
        var asked: [Int] = []
        let events = timeline.advance(by: 5) {
            asked.append($0)
            return true
        }
        #expect(events.isEmpty && asked == [2] && !timeline.isHeld)
        #expect(isClose(timeline.timeToNextChange, 0.3))
    }

    @Test("A seek keeps the count of completed loops and reports nothing") func loopCount() {
        var timeline = timeline(plays: 3)
        #expect(timeline.advance(by: 0.65) == [Event.loop(count: 1)])
        timeline.seek(toFrame: 2)
        timeline.seek(to: 0)
        #expect(timeline.loops == 1)
        _ = timeline.advance(by: 0)
        #expect(timeline.advance(by: 0.6) == [.loop(count: 2)])
        timeline.seek(toFrame: 2)
        _ = timeline.advance(by: 0)
        #expect(timeline.advance(by: 0.3) == [.loop(count: 3), .finished])
    }

    @Test("A seek after the end leads back into the last loop, which ends again") func afterTheEnd() {
        var timeline = timeline(plays: 2)
        _ = timeline.advance(by: 0.6)
        #expect(timeline.advance(by: 0.6).last == .finished)
        timeline.seek(toFrame: 1)
        #expect(!timeline.isFinished && timeline.loops == 1)
        _ = timeline.advance(by: 0)
        #expect(timeline.advance(by: 0.5) == [.loop(count: 2), .finished])
    }

    @Test("A timeline that never plays stays finished after a seek") func neverPlays() {
        for plays: UInt? in [0, 1] {
            var timeline = FrameTimeline(durations: plays == 0 ? [0.1, 0.1] : [0.1], plays: plays)
            timeline.seek(toFrame: 1)
            #expect(timeline.isFinished && timeline.index == (plays == 0 ? 1 : 0))
        }
        var empty = FrameTimeline(durations: [], plays: nil)
        empty.seek(to: 1)
        empty.seek(toFrame: 1)
        #expect(empty.index == 0 && empty.position == 0)
    }

    @Test(
        "At rate r, the frame at time t is the one at r times t",
        arguments: [0.25, 0.5, 1, 1.5, 4], [0.01, 0.19, 0.31, 0.55, 0.97])
    func rates(rate: Double, time: TimeInterval) {
        // Small steps, so that no step is late.
        var (slow, reference) = (timeline(rate: rate), timeline())
        var (loops, expected) = ([Event](), [Event]())
        for _ in 0..<100 { loops += slow.advance(by: time / 100) }
        for _ in 0..<100 { expected += reference.advance(by: time * rate / 100) }
        #expect(slow.index == reference.index && slow.loops == reference.loops && loops == expected)
        #expect(isClose(slow.position, reference.position))
        #expect(isClose(slow.timeToNextChange.map { $0 * rate }, reference.timeToNextChange ?? -1))
    }

    @Test("At rate 0 nothing changes, at any position") func rateZero() {
        var timeline = timeline()
        timeline.seek(to: 0.6)
        timeline.rate = 0
        #expect(timeline.advance(by: 10).isEmpty)
        #expect(timeline.index == 2 && timeline.timeToNextChange == .infinity)
        timeline.rate = 1
        #expect(timeline.advance(by: 0) == [Event.loop(count: 1)])
    }

    /// 1 s late at twice the speed: 2 s of animation after the change at 0.1, which is at 0.3 of a loop.
    @Test("A long suspension at another rate skips at most one second of time") func suspension() {
        var timeline = timeline(rate: 2)
        _ = timeline.advance(by: 3_600)
        #expect(isClose(timeline.position, 0.3) && timeline.loops == 3)
    }

    @Test("Time within a frame is added up to its end only") func stay() {
        var timeline = timeline(rate: 2)
        timeline.stay(for: 0.03)
        #expect(isClose(timeline.position, 0.06))
        timeline.stay(for: 9)
        #expect(timeline.index == 0 && timeline.timeToNextChange == 0)
        timeline.stay(for: -9)
        #expect(isClose(timeline.position, 0.1))
    }

    @Test("A restart keeps the rate") func restart() {
        var timeline = timeline(rate: 2)
        timeline.seek(toFrame: 2)
        timeline.restart()
        #expect(timeline.index == 0 && !timeline.isHeld && isClose(timeline.timeToNextChange, 0.05))
    }
}
