import Foundation
import Testing

@testable import Kingfisher

/// Which scan is shown next.
@Suite struct PreviewPlanTests {
    private let area = 1_000_000

    private func plan(isFastest: Bool = true, interval: TimeInterval = 0) -> PreviewPlan {
        PreviewPlan(ImageProgressive(isBlur: true, isFastestScan: isFastest, scanInterval: interval))
    }

    @Test func oneAtATimeAndTheNewest() {
        var plan = plan()
        #expect(plan.next(complete: 0, area: area) == nil)
        #expect(plan.next(complete: 1, area: area) == 1)
        #expect(plan.next(complete: 5, area: area) == nil)
        #expect(plan.didShow() == nil)
        #expect(plan.next(complete: 5, area: area) == 5)
        #expect(plan.didShow() == nil)
        #expect(plan.next(complete: 5, area: area) == nil)
    }

    @Test func eachInTurn() {
        var plan = plan(isFastest: false)
        for scan in 1...4 {
            #expect(plan.next(complete: 4, area: area) == scan)
            #expect(plan.didShow() == nil)
        }
        #expect(plan.next(complete: 4, area: area) == nil)
    }

    @Test func anImageStaysForItsTime() {
        var plan = plan(interval: 2)
        #expect(plan.next(complete: 1, area: area) == 1)
        #expect(plan.didShow() == 2)
        #expect(plan.next(complete: 3, area: area) == nil)
        plan.didRest()
        #expect(plan.next(complete: 3, area: area) == 3)
    }

    @Test(arguments: [-1, Double.nan, -Double.infinity]) func noIntervalIsNone(interval: TimeInterval) {
        var plan = plan(interval: interval)
        #expect(plan.next(complete: 1, area: area) == 1)
        #expect(plan.didShow() == nil)
        #expect(plan.next(complete: 2, area: area) == 2)
    }

    @Test func aFileMayCostSoMuchAndNoMore() {
        var plan = plan(isFastest: false)
        var (work, images) = (0, 0)
        while let scan = plan.next(complete: 64, area: 100_000_000) {
            (work, images) = (work + scan * 100_000_000, images + 1)
            _ = plan.didShow()
        }
        #expect(work <= PreviewPlan.maximumWork && images == 6)
        var fastest = self.plan()
        #expect(fastest.next(complete: 64, area: 100_000_000) == nil)
        #expect(fastest.next(complete: 64, area: .max) == nil)
        // A photograph of 12 megapixels shows all of its ten scans.
        var usual = self.plan(isFastest: false)
        for scan in 1...10 {
            #expect(usual.next(complete: 10, area: 12_200_000) == scan)
            _ = usual.didShow()
        }
    }

    @Test func earlyScansAreBlurredMost() {
        #expect((1...7).map(PreviewPlan.blurRadius) == [10, 6, 2, 2, 2, nil, nil])
    }

    @Test func defaultsAreThoseOfTheContract() {
        for progressive in [ImageProgressive(), .default] {
            #expect(progressive.isBlur && progressive.isFastestScan && progressive.scanInterval == 0)
        }
    }
}
