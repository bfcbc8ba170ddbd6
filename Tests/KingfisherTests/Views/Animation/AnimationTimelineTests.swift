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
        arguments: [
            (0.0, 0, 0), (0.099, 0, 0), (0.1, 1, 0), (0.25, 1, 0), (0.3, 2, 0), (0.599, 2, 0), (0.6, 0, 1),
            (0.75, 1, 1), (0.9, 2, 1), (1.05, 2, 1),
        ] as [(TimeInterval, Int, UInt)])
    func frameAtATime(time: TimeInterval, index: Int, loops: UInt) {
        var timeline = timeline()
        _ = timeline.advance(by: time)
        #expect(timeline.index == index && timeline.loops == loops && !timeline.isFinished)
    }

    @Test("Many small steps come to the same as one look at each change")
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

    @Test func timeToTheNextChange() throws {
        var timeline = timeline()
        #expect(timeline.timeToNextChange == 0.1)
        _ = timeline.advance(by: 0.04)
        #expect(abs(try #require(timeline.timeToNextChange) - 0.06) < 1e-9)
        _ = timeline.advance(by: 0.06)
        #expect(timeline.timeToNextChange == 0.2)
    }

    @Test func loopsAreReportedAndTheLastFrameStays() {
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

    /// 1 s after the change that was due at 0.1: one whole loop and 0.4 s, at the third frame.
    @Test func whoWasAsleepDoesNotRace() {
        var timeline = timeline()
        #expect(timeline.advance(by: 3_600) == [Event.loop(count: 1)])
        #expect(timeline.index == 2)
        #expect(abs((timeline.timeToNextChange ?? 0) - 0.1) < 1e-9)
    }

    @Test func sleepingThroughALongFrameIsNotBeingLate() {
        var timeline = FrameTimeline(durations: [5, 1], plays: nil)
        _ = timeline.advance(by: 5)
        #expect(timeline.index == 1)
    }

    @Test func staysBeforeAFrameThatIsNotThere() {
        var timeline = timeline()
        #expect(timeline.advance(by: 0.35) { $0 != 2 }.isEmpty)
        #expect(timeline.index == 1 && timeline.isHeld)
        // The wait does not count.
        _ = timeline.advance(by: 0.9)
        #expect(timeline.index == 2 && !timeline.isHeld && timeline.timeToNextChange == 0.3)
    }

    @Test("A loop ends with its last frame's time, once, also when the first one is late")
    func loopEndsOnce() {
        var timeline = timeline()
        #expect(timeline.advance(by: 0.7) { $0 != 0 }.isEmpty)
        #expect(timeline.advance(by: 0.1) { $0 != 0 }.isEmpty)
        #expect(timeline.advance(by: 0.1) == [Event.loop(count: 1)])
    }

    @Test(arguments: [0, -1, .nan, -.infinity] as [TimeInterval])
    func delaysThatAreNone(delay: TimeInterval) {
        var timeline = FrameTimeline(durations: [delay, 0.2], plays: nil)
        #expect(timeline.durations == [0.1, 0.2])
        _ = timeline.advance(by: 0.1)
        #expect(timeline.index == 1)
    }

    @Test func delaysBeyondSense() {
        #expect(FrameTimeline(durations: [1e-300, 1], plays: nil).durations == [0.001, 1])
        var endless = FrameTimeline(durations: [.infinity, 1], plays: nil)
        _ = endless.advance(by: 1e9)
        #expect(endless.index == 0 && endless.timeToNextChange == .infinity)
    }

    @Test func nothingToPlay() {
        for timeline in [
            FrameTimeline(durations: [], plays: nil), FrameTimeline(durations: [0.1], plays: 1),
            timeline(plays: 0),
        ] {
            var timeline = timeline
            #expect(timeline.isFinished && timeline.timeToNextChange == nil)
            #expect(timeline.advance(by: 1).isEmpty && timeline.index == 0)
        }
    }

    @Test func stepsBackCountAsNone() {
        var timeline = timeline()
        _ = timeline.advance(by: 0.05)
        _ = timeline.advance(by: -0.05)
        _ = timeline.advance(by: 0.05)
        #expect(timeline.index == 1)
    }
}
