import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

/// A custom indicator: a red bar below the center.
@MainActor private final class BarIndicator: Indicator {
    private(set) var events: [String] = []
    let view: IndicatorView
    let centerOffset = CGPoint(x: 0, y: 30)

    init() throws { view = ImageView(image: try .red) }

    func startAnimatingView() { events.append("start") }

    func stopAnimatingView() { events.append("stop") }

    func sizeStrategy(in imageView: ImageView) -> IndicatorSizeStrategy {
        .size(CGSize(width: imageView.bounds.width / 2, height: 10))
    }
}

extension GTKTests {
    /// User story 4: a view shows an indicator while it loads.
    @Suite(.serialized) @MainActor struct IndicatorStory {
        private let rig: StoryRig

        init() throws { rig = try StoryRig() }

        /// Starts a load that the server holds and waits until the indicator is on screen.
        private func startLoading() async throws -> (load: StoryLoad, image: Screenshot) {
            try await rig.open()
            let load = StoryLoad()
            rig.view.kf.setImage(with: rig.slowURL("hubble.jpg"), options: rig.options) {
                load.record($0)
            }
            let indicator = try #require(rig.view.kf.indicator).view
            #expect(!indicator.isHidden)
            #expect(await GTK.wait { indicator.bounds.width > 0 })
            return (load, try await rig.image())
        }

        /// Completes the load and checks that the indicator is no longer visible.
        private func finish(_ load: StoryLoad) async throws {
            rig.releaseSlowImages()
            _ = try await load.result()
            #expect(rig.view.kf.indicator?.view.isHidden == true)
            let loaded = try await rig.image()
            #expect(loaded.box { $0 != StoryRig.background } == StoryRig.frame)
            rig.view.kf.indicatorType = .none
            #expect(try await rig.image() == loaded)
        }

        @Test("An activity indicator is animated at the center while loading")
        func activityIndicator() async throws {
            rig.view.kf.indicatorType = .activity
            let (load, _) = try await startLoading()
            // GTK 4.24 fades a spinner in. Its dots are not symmetric with older versions: two pixels.
            let isCentered = await GTK.wait {
                let shot = Screenshot(of: rig.window)
                guard let spinner = shot?.box(where: { $0 != StoryRig.background }) else { return false }
                return abs(spinner.midX - 140) <= 2 && abs(spinner.midY - 90) <= 2 && spinner.width <= 64
            }
            #expect(isCentered)
            #expect(await rig.changes(until: 3))
            try await finish(load)
        }

        @Test("An animated image plays as indicator while loading")
        func imageIndicator() async throws {
            let cat = try Fixtures.data(named: "Photos/cat.gif")
            rig.view.kf.indicatorType = .image(imageData: cat)
            let (load, image) = try await startLoading()
            // 160 x 120 points, centered in the view.
            #expect(
                image.box { $0 != StoryRig.background } == CGRect(x: 60, y: 30, width: 160, height: 120))
            #expect(await rig.changes(until: 4))
            try await finish(load)
        }

        @Test("A custom indicator has its size and offset and is started and stopped")
        func customIndicator() async throws {
            let bar = try BarIndicator()
            rig.view.kf.indicatorType = .custom(indicator: bar)
            let (load, image) = try await startLoading()
            #expect(image.box(of: "ffff0000") == CGRect(x: 80, y: 115, width: 120, height: 10))
            #expect(bar.events.last == "start")
            try await finish(load)
            #expect(bar.events.filter { $0 == "start" }.count == 1 && bar.events.last == "stop")
        }
    }
}
