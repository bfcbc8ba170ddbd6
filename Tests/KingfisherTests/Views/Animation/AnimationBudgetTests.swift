import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

@Suite @MainActor struct AnimationBudgetTests {
    /// Views on one screen that show the same image and started one after another.
    private struct Crowd {
        let budget: FrameBudget
        let views: [AnimatedImageView]
        let renderer = RecordingRenderer()

        @MainActor init(_ count: Int, budget: FrameBudget) {
            self.budget = budget
            let renderer = renderer
            views = (0..<count).map { _ in
                let view = AnimatedImageView()
                view.frameBudget = budget
                view.needsPrescaling = false
                view.renderer = renderer
                return view
            }
        }

        @MainActor var shown: [Int?] { views.map { $0.displayedImage?.number } }

        /// Advances the views every 10 ms for `seconds`. Returns the maximum memory use.
        @MainActor func run(for seconds: TimeInterval, decoding: Bool = true) async -> Int {
            var most = 0
            for _ in 0..<Int((seconds * 100).rounded()) {
                renderer.manualClock.advance(by: 0.01)
                for view in views { view.advance() }
                most = max(most, budget.used)
                if decoding { await settle() }
                most = max(most, budget.used)
            }
            return most
        }

        @MainActor func settle() async {
            for view in views { await view.animator?.drain() }
            await passMainQueue()
            for view in views where view.nextFrameTime == renderer.manualClock.now { view.advance() }
            for view in views { await view.animator?.drain() }
        }
    }

    private func big(_ frames: Int) -> StubFrames {
        // 64 KB per frame.
        StubFrames(Array(repeating: 0.05, count: frames), width: 128, height: 128)
    }
    private let frame = 64 << 10

    @Test("Views of one image share decoded frames") func sharedFrames() async throws {
        let crowd = Crowd(20, budget: FrameBudget(limit: 64 << 20))
        let source = big(12)
        let image = try source.image()
        for view in crowd.views {
            view.image = image
            _ = await crowd.run(for: 0.03)
        }
        let most = await crowd.run(for: 3)
        #expect(source.log.decoded == Dictionary(uniqueKeysWithValues: (0..<12).map { ($0, 1) }))
        #expect(Set(crowd.shown).count > 5)
        // Twelve frames, and a decoder with two canvases.
        #expect(most == (12 + 2) * frame && source.log.copies == 1)
        for view in crowd.views { view.image = nil }
        #expect(crowd.budget.used == 0)
    }

    /// 60 frames, of which 40 would fit without decoders; the views are up to a second apart.
    @Test("Twenty views of a large animation stay within the budget") func budget() async throws {
        let crowd = Crowd(20, budget: FrameBudget(limit: 50 * frame))
        let source = big(60)
        let image = try source.image()
        var most = 0
        for view in crowd.views {
            view.image = image
            most = max(most, await crowd.run(for: 0.05))
        }
        most = max(most, await crowd.run(for: 6))
        #expect(most <= 50 * frame && most > 40 * frame)
        // Each view plays at its own pace.
        let first = try #require(crowd.shown.first ?? nil)
        #expect(crowd.shown == (0..<20).map { (first - $0 + 60) % 60 })
    }

    @Test("Views that are far apart use two decoders") func distantViews() async throws {
        let crowd = Crowd(2, budget: FrameBudget(limit: 30 * frame))
        let source = big(100)
        let image = try source.image()
        crowd.views[0].image = image
        _ = await crowd.run(for: 2.5)
        crowd.views[1].image = image
        _ = await crowd.run(for: 0.5)
        let before = source.log
        let most = await crowd.run(for: 10)
        let after = source.log
        // Two views show 400 frames in that time. One shared decoder would compose 50 for each of them.
        #expect(after.composed - before.composed < 600)
        #expect(after.copies == 2 && most <= 30 * frame)
    }

    @Test("Frames that are due last are released first") func releaseOrder() async throws {
        let crowd = Crowd(1, budget: FrameBudget(limit: 64 << 20))
        crowd.views[0].framePreloadCount = 5
        crowd.views[0].image = try big(8).image()
        await crowd.settle()
        _ = await crowd.run(for: 0.15)
        let animator = try #require(crowd.views[0].animator)
        #expect(animator.currentFrameIndex == 3)
        // The decoder uses two.
        crowd.budget.limit = 6 * frame
        #expect((0..<8).filter { animator.frame(at: $0) != nil } == [3, 4, 5, 6])
        crowd.budget.trim(to: 0)
        #expect((0..<8).filter { animator.frame(at: $0) != nil } == [3, 4])
        crowd.budget.limit = 0
        _ = await crowd.run(for: 1)
        // The budget cannot go below two frames; the animation continues.
        #expect(animator.currentFrameIndex == (3 + 20) % 8)
        #expect(crowd.budget.used <= 4 * frame)
    }

    @Test("Memory pressure releases frames", arguments: zip(MemoryPressure.allCases, [8, 8, 4]))
    func memoryPressure(level: MemoryPressure, framesLeft: Int) async throws {
        let crowd = Crowd(1, budget: FrameBudget(limit: 16 * frame))
        crowd.views[0].image = try big(12).image()
        await crowd.settle()
        #expect(crowd.budget.used == 13 * frame)
        crowd.budget.relieve(level)
        // Two of them belong to the decoder.
        #expect(crowd.budget.used == framesLeft * frame)
    }

    @Test("Hidden views release memory before visible ones") func hiddenViews() async throws {
        let budget = FrameBudget(limit: 64 << 20)
        let (seen, hidden) = (Crowd(1, budget: budget), Crowd(1, budget: budget))
        for crowd in [seen, hidden] {
            crowd.views[0].image = try big(8).image()
            await crowd.settle()
        }
        hidden.views[0].isHidden = true
        // The hidden view's decoder is released first, then its frames that are due last.
        budget.limit = 12 * frame
        let left = [seen, hidden].map { crowd in
            (0..<8).filter { crowd.views[0].animator?.frame(at: $0) != nil }.count
        }
        #expect(left[0] == 8 && left[1] == 2)
    }

    @Test("Frames of different sizes are decoded separately") func sizes() async throws {
        let crowd = Crowd(2, budget: FrameBudget(limit: 64 << 20))
        let source = big(4)
        let image = try source.image()
        crowd.views[1].needsPrescaling = true
        crowd.renderer.display.size = CGSize(width: 32, height: 32)
        for view in crowd.views { view.image = image }
        await crowd.settle()
        #expect(source.log.sizes.count == 2 && source.log.decoded.values.allSatisfy { $0 == 2 })
    }
}
