import Testing

@testable import KingfisherTransport

@Suite struct TransferTimelineTests {
    private let zero = MonotonicTime.now

    private func timeline(total: Duration? = .seconds(60)) -> TransferTimeline {
        var limits = TransportLimits()
        (limits.connect, limits.idle, limits.total) = (.seconds(10), .seconds(15), total)
        return TransferTimeline(limits, at: zero)
    }

    private func expect(
        _ timeline: TransferTimeline, _ seconds: Int?, _ phase: TransportError.Phase?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            timeline.deadline?.time == seconds.map { zero + .seconds($0) }, sourceLocation: sourceLocation)
        #expect(timeline.deadline?.phase == phase, sourceLocation: sourceLocation)
    }

    @Test func eachPhaseHasItsLimit() {
        var timeline = timeline()
        expect(timeline, 10, .resolve)
        timeline.endResolving(at: zero + .seconds(3))
        expect(timeline, 60, .total)
        timeline.beginConnecting(at: zero + .seconds(20))
        expect(timeline, 30, .connect)
        timeline.beginConnecting(at: zero + .seconds(25))
        expect(timeline, 30, .connect)
        timeline.beginExchange(at: zero + .seconds(26))
        expect(timeline, 41, .idle)
        timeline.noteActivity(at: zero + .seconds(40))
        expect(timeline, 55, .idle)
        timeline.noteActivity(at: zero + .seconds(30))
        expect(timeline, 55, .idle)
        timeline.noteActivity(at: zero + .seconds(50))
        expect(timeline, 60, .total)
    }

    @Test("A lookup does not end before the transfer has begun")
    func lookupWithinTheRoundThatHadBegun() {
        var timeline = timeline()
        timeline.endResolving(at: zero - .seconds(1))
        #expect(timeline.resolved == timeline.start)
        timeline.endResolving(at: zero + .seconds(1))
        #expect(timeline.resolved - timeline.start == .seconds(1))
    }

    @Test func pauseStopsOnlyTheIdleLimit() {
        var timeline = timeline()
        timeline.beginExchange(at: zero)
        timeline.isPaused = true
        expect(timeline, 60, .total)
        timeline.isPaused = false
        expect(timeline, 15, .idle)
    }

    @Test("A suspension stops every limit, and each continues with the time that it had left")
    func suspension() {
        var timeline = timeline()
        timeline.suspend(at: zero + .seconds(4))
        timeline.suspend(at: zero + .seconds(5))
        expect(timeline, nil, nil)
        timeline.resume(at: zero + .seconds(104))
        timeline.resume(at: zero + .seconds(200))
        expect(timeline, 110, .resolve)
        timeline.endResolving(at: zero + .seconds(105))
        expect(timeline, 160, .total)
        timeline.beginConnecting(at: zero + .seconds(106))
        timeline.suspend(at: zero + .seconds(107))
        // The connection is made during the suspension.
        timeline.beginExchange(at: zero + .seconds(110))
        timeline.resume(at: zero + .seconds(127))
        expect(timeline, 142, .idle)
        timeline.isPaused = true
        expect(timeline, 180, .total)
    }

    @Test func withoutTotalTheQueueIsUnlimited() {
        var timeline = timeline(total: nil)
        timeline.endResolving(at: zero)
        expect(timeline, nil, nil)
        timeline.noteActivity(at: zero)
        expect(timeline, nil, nil)
    }

    @Test func watchIsNeverLate() {
        let watch = DeadlineWatch()
        #expect(watch.milliseconds(from: zero) == 60_000)
        watch.cover(timeline())
        var sooner = timeline(total: .milliseconds(2_500))
        watch.cover(sooner)
        #expect(watch.milliseconds(from: zero) == 2_500)
        #expect(watch.milliseconds(from: zero + .microseconds(2_499_900)) == 1)
        #expect(!watch.isDue(at: zero + .seconds(2)))
        #expect(watch.isDue(at: zero + .seconds(3)))
        #expect(!watch.isDue(at: zero + .seconds(3)), "after it was due, it starts again")
        sooner.beginExchange(at: zero)
        watch.cover(sooner)
        #expect(watch.milliseconds(from: zero) == 2_500)
    }
}
