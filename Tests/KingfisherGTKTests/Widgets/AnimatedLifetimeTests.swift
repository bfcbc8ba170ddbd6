import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// Thousands of animated views are created, loaded, played and destroyed. `KINGFISHER_SOAK=1` takes ten
    /// times as many.
    @Suite(.serialized) @MainActor final class AnimatedLifetimeUnderLoad {
        private static let isLong = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] != nil
        private let rig: LoadingRig
        private var ends: [Int] = []
        private var reportedLoops = 0

        init() throws {
            rig = try LoadingRig()
        }

        @Test("Thousands of playing views release widgets, views and frames")
        func playingViews() async throws {
            let (batches, size) = (Self.isLong ? 50 : 5, 400)
            let (widgets, views) = (WidgetCount.alive, PlayingView.alive)
            let frames = AnimatedImageView.frameMemoryInUse
            let gif = try Fixtures.data(named: "GIF/disposal-mixed.gif")
            for batch in 0..<batches {
                // One image for the whole batch, so the views share its frames.
                let provider = RawImageDataProvider(data: gif, cacheKey: "playing \(batch)")
                try await playAndDestroy(size, provider)
            }
            #expect(await GTK.wait { WidgetCount.alive == widgets && PlayingView.alive == views })
            #expect(await GTK.wait { AnimatedImageView.frameMemoryInUse == frames })
            #expect(ends.count == batches * size && ends.allSatisfy { $0 == 1 })
            #expect(reportedLoops > 0)
            let finalLoops = reportedLoops
            for _ in 0..<20 { await GTK.iterate() }
            #expect(reportedLoops == finalLoops)
        }

        /// Shows `count` views and destroys them while they play, after the first has played a loop.
        private func playAndDestroy(_ count: Int, _ provider: RawImageDataProvider) async throws {
            let window = TestWindow(width: 200, height: 200)
            let grid = View()
            let (first, loops) = (ends.count, reportedLoops)
            ends += Array(repeating: 0, count: count)
            for index in first..<first + count {
                let view = PlayingView()
                view.delegate = self
                WidgetCount.watch(view)
                grid.addSubview(view)
                view.kf.setImage(
                    with: provider, options: rig.options + [.transition(.fade(0.05)), .forceTransition]
                ) { [weak self] _ in self?.ends[index] += 1 }
            }
            try #require(await window.present(grid))
            #expect(await GTK.wait { self.reportedLoops > loops })
            #expect(AnimatedImageView.frameMemoryInUse > 0)
            window.close()
            #expect(await GTK.wait { self.ends[first...].allSatisfy { $0 == 1 } })
        }
    }
}

extension GTKTests.AnimatedLifetimeUnderLoad: AnimatedImageViewDelegate {
    func animatedImageView(_ view: AnimatedImageView, didPlayAnimationLoops count: UInt) {
        reportedLoops += 1
    }
}

/// An animated view that counts its live instances.
private final class PlayingView: AnimatedImageView {
    private nonisolated static let count = LiveCount()
    private let life = LiveCount.Life(count)

    static var alive: Int { count.value }
}
