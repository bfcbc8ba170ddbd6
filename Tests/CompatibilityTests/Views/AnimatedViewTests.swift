import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

/// Records the end of each loop.
private final class RecordingDelegate: AnimatedImageViewDelegate {
    private(set) var loops: [UInt] = []
    private(set) var hasEnded = false

    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {
        loops.append(count)
    }

    func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {
        hasEnded = true
    }
}

@Suite(.timeLimit(.minutes(1))) @MainActor struct AnimatedViewTests {
    let box: Sandbox
    private let window = TestWindow()
    private let cat: URL

    init() throws {
        box = try Sandbox()
        cat = box.url("Photos/cat.gif")
    }

    private func load(_ view: ImageView, _ options: KingfisherOptionsInfo = []) async throws {
        let outcome: Outcome = await answer { done in
            view.kf.setImage(with: cat, options: box.options + options, completionHandler: done)
        }
        #expect(view.image === (try outcome.get().image))
    }

    @Test("An image view loads all frames, or the first one")
    func imageView() async throws {
        let imageView = ImageView()
        try await load(imageView)
        #expect(imageView.image?.images?.count == 8)
        try await load(imageView, [.onlyLoadFirstFrame])
        #expect(imageView.image?.images == nil)
        #expect(imageView.image?.size == CGSize(width: 160, height: 120))
    }

    @Test("A manager preloads all frames on request")
    func preloads() async throws {
        let lazy = try await box.manager.retrieveImage(with: cat)
        #expect(lazy.image.images == nil && lazy.image.kf.imageFrameCount == 8)
        let full = try await box.manager.retrieveImage(with: cat, options: [.preloadAllAnimationData])
        #expect(full.image.images?.count == 8)
    }

    @Test("An animated view decodes frames while it plays")
    func animatedView() async throws {
        let view = AnimatedImageView()
        #expect(view.autoPlayAnimatedImage && view.framePreloadCount == 10 && view.needsPrescaling)
        #expect(view.backgroundDecode && view.repeatCount == .infinite && !view.purgeFramesOnBackground)
        view.framePreloadCount = 3
        window.show(view)
        try await load(view)
        let animator = try #require(view.animator)
        #expect(animator.maxFrameCount == 3 && animator.currentFrameIndex == 0 && !animator.isLastFrame)
        #expect(await poll { (0...3).allSatisfy { animator.frame(at: $0) != nil } })
        #expect(animator.frame(at: 7) == nil && animator.currentFrameImage?.size == view.image?.size)
        #expect(animator.duration(at: 7) == 0.1 && animator.currentFrameDuration == 0.1)
        view.purgeFrames()
        #expect(await poll { animator.currentFrameImage != nil })
    }

    @Test("An animated view can be started and stopped")
    func byHand() async throws {
        let view = AnimatedImageView()
        view.autoPlayAnimatedImage = false
        try await load(view)
        #expect(!view.isAnimating)
        view.startAnimating()
        #expect(view.isAnimating)
        view.stopAnimating()
        #expect(!view.isAnimating)
    }

    @Test("An animated view repeats as configured and reports each loop")
    func loops() async throws {
        let (view, delegate) = (AnimatedImageView(), RecordingDelegate())
        window.show(view)
        view.delegate = delegate
        view.repeatCount = .finite(count: 2)
        try await load(view)
        #expect(
            await poll {
                window.manualClock.advance(by: 0.1)
                view.advance()
                return delegate.hasEnded
            })
        #expect(delegate.loops == [1, 2] && view.repeatCount != .once)
    }
}
