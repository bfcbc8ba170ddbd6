import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// The minimal custom view that can be a placeholder.
private final class PlaceholderView: View, Placeholder {}

/// V-6 and V-7: a view as placeholder.
@Suite @MainActor struct PlaceholderViewTests {
    let rig: ImageViewLoadingRig
    var view: ImageView { rig.view }
    private let placeholderView = PlaceholderView()
    private var isShown: Bool {
        placeholderView.superview === view && view.subviews.contains { $0 === placeholderView }
    }

    init() throws { rig = try ImageViewLoadingRig() }

    @Test("A placeholder view fills the image view, which has no image while it loads", .behaviours("V-7"))
    func placement() async throws {
        view.image = try .blank()
        placeholderView.placement = .center()
        rig.bench.stub.hold()
        let load = rig.load(placeholder: placeholderView)
        #expect(isShown && placeholderView.placement == .fill && view.image == nil)
        #expect(view.kf.placeholder as? PlaceholderView === placeholderView)
        rig.bench.stub.release()
        let image = try await load.result().get().image
        #expect(
            !isShown && placeholderView.superview == nil && view.image === image && view.kf.placeholder == nil
        )
    }

    @Test(
        "After a failure the placeholder view stays unless the failure image option replaces it",
        arguments: [
            (option: [Bool](), stays: true), ([true], false), ([false], false),
        ])
    func failure(row: (option: [Bool], stays: Bool)) async throws {
        let rig = ImageViewLoadingRig(try Bench(serving: TestImages.garbage))
        let failed = row.option.first == true ? try Image.blank() : nil
        let load = rig.load(placeholder: placeholderView, row.option.map { _ in .onFailureImage(failed) })
        #expect(reason(try await load.result()) != nil)
        #expect((placeholderView.superview === rig.view) == row.stays)
        #expect(rig.view.image === failed && (rig.view.kf.placeholder != nil) == row.stays)
    }

    @Test("A placeholder view is below the indicator and other subviews") func subviewOrder() throws {
        let badge = View()
        view.addSubview(badge)
        view.kf.indicatorType = .activity
        rig.bench.stub.hold()
        _ = rig.load(placeholder: placeholderView)
        let indicator = try #require(view.kf.indicator).view
        #expect(
            view.subviews.map(ObjectIdentifier.init)
                == [placeholderView, badge, indicator].map(ObjectIdentifier.init))
        view.kf.cancelDownloadTask()
    }

    @Test("A placeholder used by two consecutive loads stays in place") func consecutiveLoads() async throws {
        rig.bench.stub.hold()
        let first = rig.load(placeholder: placeholderView)
        let renderer = RecordingRenderer()
        view.renderer = renderer
        let second = rig.load(Bench.freshURL(), placeholder: placeholderView)
        #expect(isShown && view.subviews.count == 1)
        #expect(!renderer.takeChanges().contains(.subviews))
        rig.bench.stub.release()
        _ = try await (first.result(), second.result())
        #expect(!isShown && view.image != nil)
    }

    @Test("A placeholder view is shown again after an image") func afterImage() async throws {
        _ = try await rig.load(placeholder: placeholderView).result().get()
        rig.bench.stub.hold()
        let load = rig.load(Bench.freshURL(), placeholder: placeholderView)
        #expect(isShown && view.image == nil)
        rig.bench.stub.release()
        _ = try await load.result().get()
        #expect(!isShown)
    }

    @Test("A placeholder view moves to the view of its latest load") func movedPlaceholder() async throws {
        let (parent, other) = (View(), ImageView())
        parent.addSubview(placeholderView)
        rig.bench.stub.hold()
        let first = rig.load(placeholder: placeholderView)
        #expect(isShown && parent.subviews.isEmpty)
        let second = rig.load(Bench.freshURL(), in: other, placeholder: placeholderView)
        #expect(placeholderView.superview === other && view.subviews.isEmpty)
        first.task?.cancel()
        #expect(try await first.result().failure?.isTaskCancelled == true)
        // The next load of the first view must not remove the placeholder from the other view.
        _ = rig.load(nil as Source?)
        #expect(
            placeholderView.superview === other
                && other.kf.placeholder as? PlaceholderView === placeholderView)
        rig.bench.stub.release()
        _ = try await second.result().get()
        #expect(placeholderView.superview == nil)
    }

    @Test("The placeholder of the next load replaces the current one") func replacedPlaceholder() throws {
        let image = try Image.blank()
        rig.bench.stub.hold()
        _ = rig.load(placeholder: placeholderView)
        _ = rig.load(Bench.freshURL(), placeholder: image)
        #expect(!isShown && view.image === image)
        _ = rig.load(Bench.freshURL(), placeholder: placeholderView)
        #expect(isShown && view.image == nil)
        _ = rig.load(Bench.freshURL())
        #expect(!isShown && view.image == nil && view.kf.placeholder == nil)
        view.kf.cancelDownloadTask()
    }

    @Test(
        "With keepCurrentImageWhileLoading the placeholder view is shown only if there is no image",
        arguments: [false, true])
    func keepsCurrentImage(hasImage: Bool) throws {
        let image = hasImage ? try Image.blank() : nil
        view.image = image
        rig.bench.stub.hold()
        _ = rig.load(placeholder: placeholderView, [.keepCurrentImageWhileLoading])
        #expect(isShown != hasImage && view.image === image)
        view.kf.cancelDownloadTask()
    }

    @Test("An image is a placeholder for every type with an image") func imagePlaceholder() throws {
        let (badge, image) = (Badge(), try Image.blank())
        image.add(to: badge)
        #expect(badge.image === image)
        image.remove(from: badge)
        #expect(badge.image == nil)
        image.add(to: view)
        #expect(view.image === image)
    }
}
