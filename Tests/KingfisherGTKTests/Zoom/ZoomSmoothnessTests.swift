import CGtk
import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The CPU time that panning takes on the main thread.
    @Suite(.serialized) @MainActor struct ZoomSmoothness {
        private func percentile99(_ times: [Double]) -> Double {
            times.sorted()[times.count * 99 / 100]
        }

        /// In a debug build; decoding a tile or making its texture there would take tens of milliseconds.
        @Test("While panning at 1:1, 99 % of scrolls and redraws take at most 4 ms of the main thread")
        func panning() async throws {
            let source = SyntheticTiles(width: 30_000, height: 20_000)
            let rig = try await ZoomRig(source, width: 900, height: 600)
            rig.view.zoomToActualSize()
            try await rig.settle()
            let probe = try #require(FrameProbe(rig.view))
            defer { probe.stop() }
            let window = OpaquePointer(rig.view.content)
            let horizontal = gtk_scrolled_window_get_hadjustment(window)
            let vertical = gtk_scrolled_window_get_vadjustment(window)
            probe.restart()
            var handlers: [Double] = []
            for step in 1...120 {
                await probe.frames(step)
                let start = FrameProbe.cpuTime
                gtk_adjustment_set_value(horizontal, gtk_adjustment_get_value(horizontal) + 37)
                gtk_adjustment_set_value(vertical, gtk_adjustment_get_value(vertical) + 23)
                let snapshot = gtk_snapshot_new()!
                rig.view.canvas.draw(on: snapshot)
                handlers.append(FrameProbe.cpuTime - start)
                gtk_snapshot_free_to_node(snapshot).map { gsk_render_node_unref($0) }
            }
            print(
                "zoom: panning, p99 of 120 frames: scroll and draw", percentile99(handlers),
                "ms, all between frames", percentile99(probe.gaps), "ms, whole frames",
                percentile99(probe.frames), "ms;", rig.view.canvas.loader?.store.count ?? 0, "tiles,",
                rig.view.canvas.loader?.store.evictionCount ?? 0, "evicted")
            #expect(percentile99(handlers) < 4 * Double(ProcessStatus.slowness))
        }

        /// Wall time from the scroll to the frame with all tiles. Debug builds have a decoder that is not
        /// optimized; decision 106 has the times of a release build.
        @Test("After a jump at 1:1 in a JPEG of 600 megapixels, the tiles are drawn within a second (median)")
        func missingTiles() async throws {
            let folder = TestFolders.unused()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "image.jpg")
            try TallJPEG.make(width: 30_000, rows: 1_250).write(to: file)
            let image = try await TiledImage.open(.provider(LocalFileImageDataProvider(fileURL: file)))
            let rig = try await ZoomRig(image, width: 900, height: 600)
            rig.view.zoomToActualSize()
            try await rig.settle()
            var delays: [Double] = []
            for step in 0..<30 {
                let start = ContinuousClock.now
                rig.view.canvas.change { $0.scroll(to: CGPoint(x: 1_000 * step % 28_000, y: 600 * step)) }
                try await rig.settle()
                delays.append((ContinuousClock.now - start) / .milliseconds(1))
            }
            print("zoom: new views at 1:1, median", delays.median, "ms, at most", delays.max() ?? 0, "ms")
            #expect(rig.errors.isEmpty && delays.median < 1_000 * Double(ProcessStatus.slowness))
        }
    }
}
