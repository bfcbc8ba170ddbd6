import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

/// An indicator of one's own: a red bar under the middle.
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
    /// User story 4: a view shows that it waits.
    @Suite(.serialized) @MainActor struct IndicatorStory {
        private let stage: StoryStage

        init() throws { stage = try StoryStage() }

        /// Sets an image that the server keeps back, and waits until the indicator is on screen.
        private func wait() async throws -> (answer: StoryAnswer, image: Screenshot) {
            try await stage.open()
            let answer = StoryAnswer()
            stage.view.kf.setImage(with: stage.slowURL("hubble.jpg"), options: stage.options) {
                answer.take($0)
            }
            let indicator = try #require(stage.view.kf.indicator).view
            #expect(!indicator.isHidden)
            #expect(await GTK.wait { indicator.bounds.width > 0 })
            return (answer, try await stage.image())
        }

        /// Lets the image come, which leaves nothing of the indicator.
        private func end(_ answer: StoryAnswer) async throws {
            stage.letSlowImagesCome()
            _ = try await answer.result()
            #expect(stage.view.kf.indicator?.view.isHidden == true)
            let loaded = try await stage.image()
            #expect(loaded.box { $0 != StoryStage.ground } == StoryStage.frame)
            stage.view.kf.indicatorType = .none
            #expect(try await stage.image() == loaded)
        }

        @Test func indicatorOfActivity() async throws {
            stage.view.kf.indicatorType = .activity
            let (answer, image) = try await wait()
            let spinner = try #require(image.box { $0 != StoryStage.ground })
            // A pixel of its dots may be lighter on one side.
            #expect(abs(spinner.midX - 140) <= 2 && abs(spinner.midY - 90) <= 2 && spinner.width <= 64)
            #expect(await stage.changes(until: 3))
            try await end(answer)
        }

        @Test func indicatorThatIsAnAnimatedImage() async throws {
            let cat = try Fixtures.data(named: "Photos/cat.gif")
            stage.view.kf.indicatorType = .image(imageData: cat)
            let (answer, image) = try await wait()
            // 160 x 120 points in the middle of the view.
            #expect(
                image.box { $0 != StoryStage.ground } == CGRect(x: 60, y: 30, width: 160, height: 120))
            #expect(await stage.changes(until: 4))
            try await end(answer)
        }

        @Test func indicatorOfOnesOwn() async throws {
            let bar = try BarIndicator()
            stage.view.kf.indicatorType = .custom(indicator: bar)
            let (answer, image) = try await wait()
            #expect(image.box(of: "ffff0000") == CGRect(x: 80, y: 115, width: 120, height: 10))
            #expect(bar.events.last == "start")
            try await end(answer)
            #expect(bar.events.filter { $0 == "start" }.count == 1 && bar.events.last == "stop")
        }
    }
}
