import Foundation
import Testing

@testable import Kingfisher

@Suite struct AnimationTimelineTests {
    private typealias Event = FrameTimeline.Event

    /// Frames of 0.1, 0.2 and 0.3 s, so that a loop takes 0.6 s.
    private func timeline(plays: UInt? = nil) -> FrameTimeline {
        FrameTimeline(durations: [0.1, 0.2, 0.3], plays: plays)
    }

    @Test(
        "Each time has its frame and loop count",
        arguments: [
            (0.0, 0, 0), (0.099, 0, 0), (0.1, 1, 0), (0.25, 1, 0), (0.3, 2, 0), (0.599, 2, 0), (0.6, 0, 1),
            (0.75, 1, 1), (0.9, 2, 1), (1.05, 2, 1),
        ] as [(TimeInterval, Int, UInt)])
    func frameAtATime(time: TimeInterval, index: Int, loops: UInt) {
        var timeline = timeline()
        _ = timeline.advance(by: time)
        #expect(timeline.index == index && timeline.loops == loops && !timeline.isFinished)
    }

    @Test("Many small steps give the same frames as one large step")
    func stepsAddUp() {
        var timeline = timeline()
        var changes: [Int: Int] = [:]
        for step in 1...6_000 {
            let old = timeline.index
            _ = timeline.advance(by: 0.001)
            if timeline.index != old, changes[timeline.index] == nil { changes[timeline.index] = step }
        }
        #expect(changes == [1: 100, 2: 300, 0: 600])
        #expect(timeline.loops == 10)
    }

    @Test("The time to the next change decreases as time advances") func timeToTheNextChange() throws {
        var timeline = timeline()
        #expect(timeline.timeToNextChange == 0.1)
        _ = timeline.advance(by: 0.04)
        #expect(abs(try #require(timeline.timeToNextChange) - 0.06) < 1e-9)
        _ = timeline.advance(by: 0.06)
        #expect(timeline.timeToNextChange == 0.2)
    }

    @Test("Each loop is reported, and the last frame stays") func loops() {
        var timeline = timeline(plays: 2)
        #expect(timeline.advance(by: 0.6) == [Event.loop(count: 1)])
        #expect(timeline.advance(by: 0.3).isEmpty)
        #expect(timeline.index == 2 && !timeline.isFinished)
        #expect(timeline.advance(by: 0.3) == [.loop(count: 2), .finished])
        #expect(timeline.index == 2 && timeline.isFinished && timeline.timeToNextChange == nil)
        #expect(timeline.advance(by: 5).isEmpty)
        timeline.restart()
        #expect(timeline.index == 0 && timeline.loops == 0 && timeline.timeToNextChange == 0.1)
    }

    /// 1 s after the change due at 0.1: one whole loop and 0.4 s, at the third frame.
    @Test("A long suspension skips to the current frame and reports one loop") func suspension() {
        var timeline = timeline()
        #expect(timeline.advance(by: 3_600) == [Event.loop(count: 1)])
        #expect(timeline.index == 2)
        #expect(abs((timeline.timeToNextChange ?? 0) - 0.1) < 1e-9)
    }

    @Test("A long frame is not a delay") func longFrame() {
        var timeline = FrameTimeline(durations: [5, 1], plays: nil)
        _ = timeline.advance(by: 5)
        #expect(timeline.index == 1)
    }

    @Test("A missing frame holds the previous one") func missingFrame() {
        var timeline = timeline()
        #expect(timeline.advance(by: 0.35) { $0 != 2 }.isEmpty)
        #expect(timeline.index == 1 && timeline.isHeld)
        // The waiting time does not count.
        _ = timeline.advance(by: 0.9)
        #expect(timeline.index == 2 && !timeline.isHeld && timeline.timeToNextChange == 0.3)
    }

    @Test("A loop ends once, with the time of its last frame, also if the first frame is late")
    func loopEndsOnce() {
        var timeline = timeline()
        #expect(timeline.advance(by: 0.7) { $0 != 0 }.isEmpty)
        #expect(timeline.advance(by: 0.1) { $0 != 0 }.isEmpty)
        #expect(timeline.advance(by: 0.1) == [Event.loop(count: 1)])
    }

    @Test("Invalid delays become 0.1 seconds", arguments: [0, -1, .nan, -.infinity] as [TimeInterval])
    func invalidDelays(delay: TimeInterval) {
        var timeline = FrameTimeline(durations: [delay, 0.2], plays: nil)
        #expect(timeline.durations == [0.1, 0.2])
        _ = timeline.advance(by: 0.1)
        #expect(timeline.index == 1)
    }

    @Test("Extreme delays are limited") func extremeDelays() {
        #expect(FrameTimeline(durations: [1e-300, 1], plays: nil).durations == [0.001, 1])
        var endless = FrameTimeline(durations: [.infinity, 1], plays: nil)
        _ = endless.advance(by: 1e9)
        #expect(endless.index == 0 && endless.timeToNextChange == .infinity)
    }

    @Test("A timeline without frames to play is finished") func finishedTimeline() {
        for timeline in [
            FrameTimeline(durations: [], plays: nil), FrameTimeline(durations: [0.1], plays: 1),
            timeline(plays: 0),
        ] {
            var timeline = timeline
            #expect(timeline.isFinished && timeline.timeToNextChange == nil)
            #expect(timeline.advance(by: 1).isEmpty && timeline.index == 0)
        }
    }

    @Test("A negative step has no effect") func negativeStep() {
        var timeline = timeline()
        _ = timeline.advance(by: 0.05)
        _ = timeline.advance(by: -0.05)
        _ = timeline.advance(by: 0.05)
        #expect(timeline.index == 1)
    }
}
