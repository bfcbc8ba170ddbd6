import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// A renderer that draws nothing, with a manual clock. Without a renderer, transitions end immediately.
@MainActor final class StillScreen: ViewRenderer {
    let stillClock = ManualAnimationClock()
    let canAnimate = true
    let display = ViewDisplay(size: CGSize(width: 100, height: 100), scaleFactor: 1, isVisible: true)

    var clock: any AnimationClock { stillClock }
    func viewDidChange(_ change: ViewChange) {}
    func snapshot() -> (any ViewSnapshot)? { nil }
    nonisolated func prepare(_ image: Image) {}
}

@Suite @MainActor struct HeadlessViewExample {
    @Test func anImageFadesIn() async throws {
        let photo = try #require(URL(string: "https://photos.example/1.png"))
        let stub = StubTransport([photo: .ok(try Fixtures.data(named: "PNG/rgba8.png"))])
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "test", transport: stub),
            cache: try ImageCache(name: "test", cacheDirectoryURL: folder))

        let (view, screen) = (ImageView(), StillScreen())
        view.renderer = screen
        let options: KingfisherOptionsInfo = [
            .downloader(manager.downloader), .targetCache(manager.cache), .transition(.fade(1)),
        ]
        var isDone = false
        view.kf.setImage(with: photo, options: options) { _ in isDone = true }
        for _ in 0..<5_000 where view.runningTransition == nil {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(view.image?.size == CGSize(width: 33, height: 21))

        screen.stillClock.advance(by: 0.25)
        view.advance()
        #expect(view.transitionProgress > 0 && view.transitionProgress < 1)
        #expect(!isDone)

        screen.stillClock.advance(by: 0.75)
        view.advance()
        #expect(view.runningTransition == nil && isDone)
    }
}
