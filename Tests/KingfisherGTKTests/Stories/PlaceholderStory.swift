import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// User story 3: a view shows a placeholder while it loads. `WidgetViewTests` declares the conformance
    /// `extension Label: Placeholder {}`.
    @Suite(.serialized) @MainActor struct PlaceholderStory {
        private let rig: StoryRig

        init() throws { rig = try StoryRig() }

        @Test("A named image beside the program is the placeholder until the load ends")
        func namedPlaceholder() async throws {
            let name = "story-\(UUID().uuidString)"
            let file = Bundle.main.bundleURL.appending(path: "\(name).png")
            try Fixtures.data(named: "Photos/badge.png").write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            try await rig.open()
            rig.view.contentMode = .scaleAspectFit

            let load = StoryLoad()
            rig.view.kf.setImage(
                with: rig.slowURL("rocket.jpg"), placeholder: Image(named: name), options: rig.options
            ) { load.record($0) }
            #expect(rig.view.image?.size == CGSize(width: 256, height: 256))
            let waiting = try await rig.image()
            // A centered square, as high as the view, with transparent corners.
            #expect(
                waiting.box { $0 != StoryRig.background } == CGRect(x: 70, y: 20, width: 140, height: 140))

            rig.releaseSlowImages()
            let image = try await load.result().image
            #expect(rig.view.image === image)
            // 512 x 342 pixels, centered and as high as the view.
            let shown = try #require(try await rig.image().box { $0 != StoryRig.background })
            #expect(shown.minX <= 36 && shown.minY == 20 && shown.maxX >= 244 && shown.maxY == 160)
        }

        @Test("A label is the placeholder until the load ends")
        func labelPlaceholder() async throws {
            try await rig.open()
            let label = Label("Loading…")
            label.textColor = .black
            label.fontSize = 24

            let load = StoryLoad()
            rig.view.kf.setImage(
                with: rig.slowURL("rocket.jpg"), placeholder: label, options: rig.options
            ) { load.record($0) }
            #expect(label.superview === rig.view)
            #expect(await GTK.wait { label.bounds == rig.view.bounds })
            let waiting = try await rig.image()
            let words = try #require(waiting.box { $0 != StoryRig.background })
            #expect(words.width > 60 && words.height > 14 && words.height < 30)
            // Letters are higher above the baseline than below it.
            #expect(abs(words.midX - 140) <= 2 && abs(words.midY - 90) <= 5)
            #expect(waiting.box(of: "ff000000") != nil)

            rig.releaseSlowImages()
            _ = try await load.result()
            #expect(label.superview == nil && rig.view.kf.placeholder == nil)
            #expect(try await rig.image().box { $0 != StoryRig.background } == StoryRig.frame)
        }

        @Test("A BlurHash fills the view with a smooth image until the load ends, in any content mode")
        func blurHashPlaceholder() async throws {
            try await rig.open()
            rig.view.contentMode = .center
            let hash = try BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")
            let load = StoryLoad()
            rig.view.kf.setImage(
                with: rig.slowURL("rocket.jpg"), placeholder: .blurHash(hash), options: rig.options
            ) { load.record($0) }
            #expect(
                await GTK.wait {
                    (rig.view.subviews.first as? ImageView)?.image?.pixels?.width == 32
                })
            let waiting = try await rig.image()
            #expect(waiting.box { $0 != StoryRig.background } == StoryRig.frame)
            // The view is decoded at its own size here; scaling up 32 pixels differs by a few levels.
            let (width, height) = (Int(StoryRig.frame.width), Int(StoryRig.frame.height))
            let pixels = try #require(try hash.image(size: PixelSize(width: width, height: height)).pixels)
            for (x, y) in [(20, 20), (width / 2, height / 2), (width - 20, 40), (40, height - 20)] {
                let shown = waiting.color(Int(StoryRig.frame.minX) + x, Int(StoryRig.frame.minY) + y)
                let expected = try #require(pixels.samples(x: x, y: y)).prefix(3)
                #expect(zip(shown, expected).allSatisfy { abs($0 - $1) <= 12 }, "\(shown) at \(x), \(y)")
            }

            rig.releaseSlowImages()
            _ = try await load.result()
            #expect(rig.view.subviews.isEmpty && rig.view.kf.placeholder == nil)
        }

        @Test("With keepCurrentImageWhileLoading the current image stays until the load ends")
        func currentImageStays() async throws {
            try await rig.open()
            let first = StoryLoad()
            rig.view.kf.setImage(with: rig.url("coffee.jpg"), options: rig.options) { first.record($0) }
            _ = try await first.result()
            let current = try await rig.image()

            let second = StoryLoad()
            rig.view.kf.setImage(
                with: rig.slowURL("rocket.jpg"), placeholder: Label("Loading…"),
                options: [.keepCurrentImageWhileLoading] + rig.options
            ) { second.record($0) }
            #expect(await GTK.wait { rig.requestCount == 2 })
            #expect(try await rig.image() == current)

            rig.releaseSlowImages()
            _ = try await second.result()
            let shown = try await rig.image()
            #expect(shown.isBlend(1, from: current, to: shown))
        }
    }
}
