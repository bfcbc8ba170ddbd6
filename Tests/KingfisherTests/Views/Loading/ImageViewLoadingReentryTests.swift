import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// A fade that the next load cuts short, whose completion handler starts a load of its own: the last one to
/// be asked for is the one that stands.
@Suite @MainActor struct ImageViewLoadingReentryTests {
    private final class Sign: View, Placeholder {}

    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    let third = Bench.freshURL()
    let thirdLoad = Inbox<ImageViewLoadingRig.Load>()
    var view: ImageView { rig.view }

    init() throws {
        rig = try ImageViewLoadingRig()
        view.renderer = renderer
    }

    /// Has an image fade in whose handler loads the third one, and returns on the way.
    private func fadeIn(placeholder: (any Placeholder)? = nil) async throws {
        let (rig, url, loads) = (rig, third, thirdLoad)
        view.kf.setImage(with: rig.bench.url, options: rig.options + [.transition(.fade(2))]) { _ in
            loads.put(rig.load(url, placeholder: placeholder))
        }
        _ = try await renderer.animations.first()
        #expect(view.runningTransition != nil)
    }

    /// The third image, at hand from now on.
    private func thirdImage() async throws -> Image {
        try await rig.bench.retrieve(third).get().image
    }

    @Test("An image that arrives gives way to the one that the handler shows", arguments: [false, true])
    func image(fades: Bool) async throws {
        let third = try await thirdImage()
        try await fadeIn()
        let second = rig.load(
            Bench.freshURL(), [.keepCurrentImageWhileLoading] + (fades ? [.transition(.fade(1))] : []))
        _ = try await second.result().get()
        #expect(view.image === third && view.runningTransition == nil)
    }

    @Test("So does a failure image")
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

    @Test("So does an image set by hand")
    func imageByHand() async throws {
        let third = try await thirdImage()
        try await fadeIn()
        view.image = try .blank()
        #expect(view.image === third)
    }

    @Test("So does a placeholder, and with it the load that it stands for")
    func placeholder() async throws {
        let (second, third) = (Sign(), Sign())
        try await fadeIn(placeholder: third)
        rig.bench.stub.hold()
        let load = rig.load(Bench.freshURL(), placeholder: second)
        #expect(view.subviews.map(ObjectIdentifier.init) == [ObjectIdentifier(third)])
        #expect(view.kf.placeholder as? Sign === third)
        #expect(try await load.result().superseded != nil && load.task == nil)
        #expect(view.kf.taskIdentifier != nil)
        rig.bench.stub.release()
        let image = try await thirdLoad.first().result().get().image
        #expect(view.image === image && view.subviews.isEmpty && view.kf.placeholder == nil)
    }

    @Test("A load without a source forgets none but those before it")
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
