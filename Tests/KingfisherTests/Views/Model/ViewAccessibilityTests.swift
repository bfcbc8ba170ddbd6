import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// What views report to assistive technology.
@Suite @MainActor struct ViewAccessibilityTests {
    private final class Message: View, Placeholder {
        override var accessibility: ViewAccessibility { ViewAccessibility(role: .group, label: "Loading") }
    }

    private let renderer = RecordingRenderer()

    /// The number of changes of the accessibility since the last call.
    private func notices() -> Int { renderer.takeChanges().count { $0 == .accessibility } }

    @Test("Each kind of view has a role, and no label by default") func roles() throws {
        let indicator = ImageView()
        indicator.kf.indicatorType = .image(imageData: try TestImages.gif)
        let views: [(View, ViewAccessibility.Role)] = [
            (View(), .group), (ImageView(), .image), (AnimatedImageView(), .image), (Button(), .button),
            (ActivityIndicatorView(), .progress), (try #require(indicator.kf.indicator).view, .progress),
        ]
        for (view, role) in views {
            #expect(view.accessibility == ViewAccessibility(role: role), "\(view)")
            view.alternativeText = "A cat"
            #expect(view.accessibility.label == "A cat", "\(view)")
        }
    }

    @Test("An empty alternative text makes a view decorative, but not a button") func decorative() {
        let (view, button) = (ImageView(), Button(title: ""))
        #expect(!view.accessibility.isDecorative && !button.accessibility.isDecorative)
        view.alternativeText = ""
        button.alternativeText = ""
        #expect(view.accessibility.isDecorative && !button.accessibility.isDecorative)
    }

    @Test("A button is named by its title or its alternative text") func buttonName() {
        let button = Button(title: "Open")
        button.renderer = renderer
        #expect(button.accessibility.label == "Open")
        button.title = "Close"
        #expect(button.accessibility.label == "Close" && notices() == 1)
        button.alternativeText = "Close the window"
        #expect(button.accessibility.label == "Close the window" && notices() == 1)
    }

    @Test("An image view is busy during a load and has the name of its placeholder view")
    func loading() async throws {
        let rig = try ImageViewLoadingRig()
        rig.view.renderer = renderer
        let atCompletion = Inbox<ViewAccessibility>()
        rig.bench.stub.hold()
        _ = notices()
        rig.view.kf.setImage(with: rig.bench.url, placeholder: Message(), options: rig.options) { _ in
            atCompletion.put(rig.view.accessibility)
        }
        #expect(rig.view.accessibility == ViewAccessibility(role: .image, label: "Loading", isBusy: true))
        #expect(notices() > 0)
        rig.view.alternativeText = "A cat"
        #expect(rig.view.accessibility.label == "A cat")
        rig.view.alternativeText = nil
        _ = notices()
        rig.bench.stub.release()
        #expect(try await atCompletion.first() == ViewAccessibility(role: .image))
        #expect(notices() > 0)
    }

    @Test("A view is no longer busy after a failure, a cancellation or a load without a source")
    func endsOfLoads() async throws {
        let rig = try ImageViewLoadingRig(Bench(serving: TestImages.garbage))
        _ = try await rig.load().result()
        #expect(!rig.view.accessibility.isBusy)
        let cancelled = await rig.hold { rig.load() }
        #expect(rig.view.accessibility.isBusy)
        cancelled.task?.cancel()
        _ = try await cancelled.result()
        #expect(!rig.view.accessibility.isBusy)
        rig.view.renderer = renderer
        let replaced = await rig.hold { rig.load() }
        _ = notices()
        rig.view.kf.setImage(with: nil as URL?)
        #expect(!rig.view.accessibility.isBusy && notices() > 0)
        rig.bench.stub.release()
        _ = try await replaced.result()
    }

    @Test("A button is busy during the load of any of its images, even if it is shown later")
    func busyButton() async throws {
        let (bench, button) = (try Bench(), Button())
        let done = Inbox<Void>()
        bench.stub.hold()
        button.kf.setBackgroundImage(
            with: bench.url, for: .highlighted,
            options: [.downloader(bench.downloader), .targetCache(bench.cache)]
        ) { _ in done.put() }
        #expect(button.accessibility.isBusy)
        // The widget of a view may be created during the load.
        button.renderer = renderer
        bench.stub.release()
        try await done.first()
        #expect(!button.accessibility.isBusy && notices() > 0)
    }

    @Test("A placeholder view that changes notifies its image view") func changingPlaceholder() {
        let (view, message) = (ImageView(), Message())
        view.renderer = renderer
        message.add(to: view)
        _ = notices()
        message.accessibilityDidChange()
        #expect(notices() == 1)
    }
}
