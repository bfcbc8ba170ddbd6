import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// A load interrupts a fade whose completion handler starts another load. The load started last wins.
@Suite @MainActor struct ImageViewLoadingReentryTests {
    private final class PlaceholderView: View, Placeholder {}

    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    let third = Bench.freshURL()
    let thirdLoad = Inbox<ImageViewLoadingRig.Load>()
    var view: ImageView { rig.view }

    init() throws {
        rig = try ImageViewLoadingRig()
        view.renderer = renderer
    }

    /// Starts a fade whose handler loads the third image, and returns during the fade.
    private func fadeIn(placeholder: (any Placeholder)? = nil) async throws {
        let (rig, url, loads) = (rig, third, thirdLoad)
        view.kf.setImage(with: rig.bench.url, options: rig.options + [.transition(.fade(2))]) { _ in
            loads.put(rig.load(url, placeholder: placeholder))
        }
        _ = try await renderer.animations.first()
        #expect(view.runningTransition != nil)
    }

    /// The third image, now cached.
    private func thirdImage() async throws -> Image {
        try await rig.bench.retrieve(third).get().image
    }

    @Test("The handler's load wins over an image that arrives", arguments: [false, true])
    func image(fades: Bool) async throws {
        let third = try await thirdImage()
        try await fadeIn()
        let second = rig.load(
            Bench.freshURL(), [.keepCurrentImageWhileLoading] + (fades ? [.transition(.fade(1))] : []))
        _ = try await second.result().get()
        #expect(view.image === third && view.runningTransition == nil)
    }

    @Test("The handler's load wins over a failure image")
    func failureImage() async throws {
        let third = try await thirdImage()
        try await fadeIn()
        let broken = try Bench(serving: TestImages.garbage)
        let failure = try Image.blank()
        let second = rig.load(
            Bench.freshURL(),
            [.keepCurrentImageWhileLoading, .downloader(broken.downloader), .onFailureImage(failure)])
        #expect(try await second.result().failure != nil)
        #expect(view.image === third)
    }

    @Test("The handler's load wins over an image set by hand")
    func imageByHand() async throws {
        let third = try await thirdImage()
        try await fadeIn()
        view.image = try .blank()
        #expect(view.image === third)
    }

    @Test("The handler's load wins over a placeholder and its load")
    func placeholder() async throws {
        let (second, third) = (PlaceholderView(), PlaceholderView())
        try await fadeIn(placeholder: third)
        rig.bench.stub.hold()
        let load = rig.load(Bench.freshURL(), placeholder: second)
        #expect(view.subviews.map(ObjectIdentifier.init) == [ObjectIdentifier(third)])
        #expect(view.kf.placeholder as? PlaceholderView === third)
        #expect(try await load.result().superseded != nil && load.task == nil)
        #expect(view.kf.taskIdentifier != nil)
        rig.bench.stub.release()
        let image = try await thirdLoad.first().result().get().image
        #expect(view.image === image && view.subviews.isEmpty && view.kf.placeholder == nil)
    }

    @Test("A load without a source cancels only earlier loads")
    func noSource() async throws {
        view.kf.indicatorType = .activity
        try await fadeIn()
        rig.bench.stub.hold()
        let second = rig.load(nil as Source?)
        #expect(second.outcomes.count == 1 && view.kf.taskIdentifier != nil)
        #expect(view.kf.indicator?.view.isHidden == false)
        rig.bench.stub.release()
        let image = try await thirdLoad.first().result().get().image
        #expect(view.image === image)
    }
}
