import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// User story 3: what a view shows while it waits. `extension Label: Placeholder {}` is all that a
    /// program writes for labels; this one has it beside the tests of labels.
    @Suite(.serialized) @MainActor struct PlaceholderStory {
        private let stage: StoryStage

        init() throws { stage = try StoryStage() }

        @Test func placeholderBesideTheProgram() async throws {
            let name = "story-\(UUID().uuidString)"
            let file = Bundle.main.bundleURL.appending(path: "\(name).png")
            try Fixtures.data(named: "Photos/badge.png").write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            try await stage.open()
            stage.view.contentMode = .scaleAspectFit

            let answer = StoryAnswer()
            stage.view.kf.setImage(
                with: stage.slowURL("rocket.jpg"), placeholder: Image(named: name), options: stage.options
            ) { answer.take($0) }
            #expect(stage.view.image?.size == CGSize(width: 256, height: 256))
            let waiting = try await stage.image()
            // A square in the middle, as high as the view; its own corners are clear.
            #expect(waiting.box { $0 != StoryStage.ground } == CGRect(x: 70, y: 20, width: 140, height: 140))

            stage.letSlowImagesCome()
            let image = try await answer.result().image
            #expect(stage.view.image === image)
            // 512 x 342, as high as the view and in its middle.
            let shown = try #require(try await stage.image().box { $0 != StoryStage.ground })
            #expect(shown.minX <= 36 && shown.minY == 20 && shown.maxX >= 244 && shown.maxY == 160)
        }

        @Test func placeholderOfWords() async throws {
            try await stage.open()
            let label = Label("Loading…")
            label.textColor = .black
            label.fontSize = 24

            let answer = StoryAnswer()
            stage.view.kf.setImage(
                with: stage.slowURL("rocket.jpg"), placeholder: label, options: stage.options
            ) { answer.take($0) }
            #expect(label.superview === stage.view)
            #expect(await GTK.wait { label.bounds == stage.view.bounds })
            let waiting = try await stage.image()
            let words = try #require(waiting.box { $0 != StoryStage.ground })
            #expect(words.width > 60 && words.height > 14 && words.height < 30)
            // Letters have more above the baseline than below.
            #expect(abs(words.midX - 140) <= 2 && abs(words.midY - 90) <= 5)
            #expect(waiting.box(of: "ff000000") != nil)

            stage.letSlowImagesCome()
            _ = try await answer.result()
            #expect(label.superview == nil && stage.view.kf.placeholder == nil)
            #expect(try await stage.image().box { $0 != StoryStage.ground } == StoryStage.frame)
        }

        @Test func currentImageKeptWhileLoading() async throws {
            try await stage.open()
            let first = StoryAnswer()
            stage.view.kf.setImage(with: stage.url("coffee.jpg"), options: stage.options) { first.take($0) }
            _ = try await first.result()
            let current = try await stage.image()

            let second = StoryAnswer()
            stage.view.kf.setImage(
                with: stage.slowURL("rocket.jpg"), placeholder: Label("Loading…"),
                options: [.keepCurrentImageWhileLoading] + stage.options
            ) { second.take($0) }
            #expect(await GTK.wait { stage.requestCount == 2 })
            #expect(try await stage.image() == current)

            stage.letSlowImagesCome()
            _ = try await second.result()
            let shown = try await stage.image()
            #expect(shown.isOnTheWay(1, from: current, to: shown))
        }
    }
}
