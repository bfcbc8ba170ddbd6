import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// A grid of 5,000 cells that is scrolled at 3,000 points per second.
    @Suite(.serialized) @MainActor struct Flings {
        private static let speed = 3_000.0
        /// A part of the grid, in three seconds.
        private static let distance = 9_000.0

        private let rig: LoadingRig

        init() throws { rig = try LoadingRig(side: 160) }

        private func fling(fill: @escaping (ImageView, Int) -> Void) async throws -> (FlingRig, [Double]) {
            let grid = FlingRig(count: 5_000, fill: fill)
            try #require(await grid.present())
            let probe = try #require(grid.probe)
            var stale = 0
            probe.onFrame = {
                for (view, position) in grid.cells.cells {
                    guard let image = view.image else { continue }
                    if LoadingRig.number(of: image) != position { stale += 1 }
                }
            }
            // The check above is not part of the measured time: it runs after the end of a frame.
            await probe.frames(30)
            await grid.fling(at: Self.speed, over: min(Self.distance, grid.range), with: probe)
            probe.stop()
            #expect(stale == 0)
            return (grid, zip(probe.gaps, probe.frames).map { $0 + $1 })
        }

        /// A debug build beside other tests; `scripts/soak fling` checks 4 ms in a release build.
        private static let allowance = 16.0

        @Test(
            "Loads take less than a frame more of the main thread in 99 of 100 frames, and skip what passes")
        func flungGrid() async throws {
            let (_, empty) = try await fling { view, _ in view.image = nil }
            let (grid, loading) = try await fling { [rig] view, position in
                view.contentMode = .scaleAspectFill
                view.kf.setImage(
                    with: LoadingRig.url(position), options: rig.options + [.decodesToViewSize])
            }
            let bound = Set(grid.cells.cells.map(\.position))
            let skipped = Set(grid.filled).subtracting(bound).filter { $0 >= 200 }
            let requested = Set(
                rig.transport.requests.compactMap { $0.url.flatMap { Int($0.lastPathComponent) } })
            let wasted = skipped.intersection(requested).count
            print(
                "fling: \(grid.filled.count) cells filled, \(skipped.count) skipped, \(wasted) of them requested;",
                "main thread per frame, p99: \(loading.percentile99) ms, empty \(empty.percentile99) ms,",
                "median \(loading.median) and \(empty.median) ms, \(loading.count) frames")
            // On a machine that misses frames, the list passes cells without filling them, and cells rest
            // where the list hangs, so their loads begin.
            let missed = max(1, Self.distance / Self.speed * 60 / Double(loading.count))
            #expect(Double(skipped.count) > 300 / missed)
            #expect(Double(wasted) < 0.1 * missed * Double(skipped.count))
            #expect(loading.percentile99 <= empty.percentile99 + Self.allowance)
            // At rest, every visible cell shows its image.
            #expect(await GTK.wait { grid.visible.allSatisfy { $0.cell.image != nil } })
            #expect(grid.visible.allSatisfy { $0.cell.image.flatMap(LoadingRig.number) == $0.position })
        }
    }
}
