import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// A progressive JPEG from a slow server is shown after each scan.
    @Suite(.serialized) @MainActor struct ProgressiveStory {
        /// A server that stops after each of the given scans until `resume(after:)`.
        private final class SlowServer: Sendable {
            let server: LoopbackServer
            private let gates: [ServerGate]

            init(_ data: Data, stopsAfter scans: [Int]) throws {
                var found = JPEGScans()
                data.withUnsafeBytes { found.take($0) }
                let cuts = scans.map { found.ends[$0 - 1] + 2 } + [data.count]
                let gates = scans.map { _ in ServerGate() }
                self.gates = gates
                server = try LoopbackServer { _ in
                    var steps: [ServerResponse.Step] = [
                        .send(ServerResponse.head(200, headers: [("Content-Length", "\(data.count)")]))
                    ]
                    var sent = 0
                    for (index, cut) in cuts.enumerated() {
                        steps.append(.send(data[sent..<cut]))
                        if index < gates.count { steps.append(.hold(gates[index])) }
                        sent = cut
                    }
                    return ServerResponse(steps)
                }
            }

            func resume(after index: Int) { gates[index].release() }

            deinit {
                for gate in gates { gate.release() }
                server.stop()
            }
        }

        /// The mean difference of a channel between two images of the view, in levels of 255.
        private func distance(_ one: Screenshot, _ other: Screenshot) -> Double {
            let points = Screenshot.storyPoints.filter { abs($0.0 - 140) > 30 || abs($0.1 - 90) > 30 }
            let steps = points.flatMap { x, y in
                zip(one.color(x, y), other.color(x, y)).map { abs(Double($0) - Double($1)) }
            }
            return steps.reduce(0, +) / Double(steps.count)
        }

        /// Loads with `progressive` and captures the window after scans 1, 2, 4 and 6 and at the end.
        private func stages(
            _ progressive: ImageProgressive, _ options: KingfisherOptionsInfo = []
        ) async throws -> [Screenshot] {
            let rig = try StoryRig()
            try await rig.open()
            let view = rig.view
            view.contentMode = .scaleAspectFill
            view.kf.indicatorType = .activity
            let server = try SlowServer(
                Fixtures.data(named: "Progressive/photo.jpg"), stopsAfter: [1, 2, 4, 6])
            let load = StoryLoad()
            let placeholder = Label("A photograph is coming")
            view.kf.setImage(
                with: server.server.url("/photo.jpg"), placeholder: placeholder,
                options: rig.options + options + [.progressiveJPEG(progressive), .transition(.fade(1))],
                completionHandler: load.record)
            var shots: [Screenshot] = []
            var last: Image?
            for index in 0..<4 {
                try #require(await GTK.wait { view.image != nil && view.image !== last })
                last = view.image
                #expect(placeholder.superview == nil && view.kf.indicator?.view.isHidden == false)
                #expect(view.runningTransition == nil && load.results.isEmpty)
                // The full size in points, but only about as many pixels as the window shows.
                #expect(view.image?.size == CGSize(width: 512, height: 512))
                #expect(options.isEmpty == false || view.image?.pixels?.width == 256)
                shots.append(try await rig.image())
                server.resume(after: index)
            }
            try #require(await GTK.wait { view.runningTransition != nil })
            rig.clock.advance(by: 1)
            #expect(try await load.result().image === view.image)
            #expect(view.kf.indicator?.view.isHidden == true)
            shots.append(try await rig.image())
            return shots
        }

        @Test("Each scan is blurred less until the image is complete")
        func blurredScans() async throws {
            let shots = try await stages(.default)
            let whole = try #require(shots.last)
            let distances = shots.map { distance($0, whole) }
            for (early, late) in zip(distances, distances.dropFirst()) { #expect(early >= late) }
            #expect(distances[0] > 2 * max(distances[3], 1))
            #expect(whole[20, 20] != StoryRig.background)
        }

        @Test("Without blur the first scan is closer to the complete image")
        func sharpScans() async throws {
            let shots = try await stages(
                ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0))
            let whole = try #require(shots.last)
            let blurred = try await stages(.default)
            #expect(distance(shots[0], whole) < distance(blurred[0], try #require(blurred.last)))
        }

        @Test("Each scan is processed with round corners")
        func roundScans() async throws {
            let shots = try await stages(
                .default, [.processor(RoundCornerImageProcessor(radius: .widthFraction(0.5)))])
            for shot in shots {
                #expect(shot[21, 21] == StoryRig.background)
                #expect(shot[140, 60] != StoryRig.background)
            }
        }
    }
}
