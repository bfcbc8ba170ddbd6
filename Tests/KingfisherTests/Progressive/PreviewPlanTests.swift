import Foundation
import Testing

@testable import Kingfisher

@Suite struct PreviewPlanTests {
    private let area = 1_000_000

    private func plan(isFastest: Bool = true, interval: TimeInterval = 0) -> PreviewPlan {
        PreviewPlan(ImageProgressive(isBlur: true, isFastestScan: isFastest, scanInterval: interval))
    }

    @Test("One preview at a time is made, of the latest scan") func latestScan() {
        var plan = plan()
        #expect(plan.next(complete: 0, area: area) == nil)
        #expect(plan.next(complete: 1, area: area) == 1)
        #expect(plan.next(complete: 5, area: area) == nil)
        #expect(plan.didShow() == nil)
        #expect(plan.next(complete: 5, area: area) == 5)
        #expect(plan.didShow() == nil)
        #expect(plan.next(complete: 5, area: area) == nil)
    }

    @Test("Without the fastest-scan option every scan is shown in order") func everyScan() {
        var plan = plan(isFastest: false)
        for scan in 1...4 {
            #expect(plan.next(complete: 4, area: area) == scan)
            #expect(plan.didShow() == nil)
        }
        #expect(plan.next(complete: 4, area: area) == nil)
    }

    @Test("A preview is shown for the scan interval") func interval() {
        var plan = plan(interval: 2)
        #expect(plan.next(complete: 1, area: area) == 1)
        #expect(plan.didShow() == 2)
        #expect(plan.next(complete: 3, area: area) == nil)
        plan.didRest()
        #expect(plan.next(complete: 3, area: area) == 3)
    }

    @Test("An invalid interval means no interval", arguments: [-1, Double.nan, -Double.infinity])
    func invalidInterval(interval: TimeInterval) {
        var plan = plan(interval: interval)
        #expect(plan.next(complete: 1, area: area) == 1)
        #expect(plan.didShow() == nil)
        #expect(plan.next(complete: 2, area: area) == 2)
    }

    @Test("The work for the previews of one file is limited") func workLimit() {
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

    @Test("The first scans are blurred most") func blurRadius() {
        #expect((1...7).map(PreviewPlan.blurRadius) == [10, 6, 2, 2, 2, nil, nil])
    }

    @Test("The defaults are blur, fastest scan and no interval") func defaults() {
        for progressive in [ImageProgressive(), .default] {
            #expect(progressive.isBlur && progressive.isFastestScan && progressive.scanInterval == 0)
        }
    }
}
