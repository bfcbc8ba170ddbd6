import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestTraits

/// All that a program writes to make a view of its own a placeholder.
private final class Sign: View, Placeholder {}

/// V-6, V-7: a view as placeholder.
@Suite @MainActor struct PlaceholderViewTests {
    let rig: ImageViewLoadingRig
    var view: ImageView { rig.view }
    private let sign = Sign()
    private var isShown: Bool { sign.superview === view && view.subviews.contains { $0 === sign } }

    init() throws { rig = try ImageViewLoadingRig() }

    @Test("A view as placeholder fills the image view, which has no image while it loads", .behaviours("V-7"))
    func fillsTheViewAndTakesTheImagesPlaceWhileLoading() async throws {
        view.image = try .blank()
        sign.placement = .center()
        rig.bench.stub.hold()
        let load = rig.load(placeholder: sign)
        #expect(isShown && sign.placement == .fill && view.image == nil)
        #expect(view.kf.placeholder as? Sign === sign)
        rig.bench.stub.release()
        let image = try await load.result().get().image
        #expect(!isShown && sign.superview == nil && view.image === image && view.kf.placeholder == nil)
    }

    @Test(
        "After a failure it stays, unless a failure image, or none, takes its place",
        arguments: [
            (option: [Bool](), stays: true), ([true], false), ([false], false),
        ])
    func failure(row: (option: [Bool], stays: Bool)) async throws {
        let rig = ImageViewLoadingRig(try Bench(serving: TestImages.garbage))
        let failed = row.option.first == true ? try Image.blank() : nil
        let load = rig.load(placeholder: sign, row.option.map { _ in .onFailureImage(failed) })
        #expect(reason(try await load.result()) != nil)
        #expect((sign.superview === rig.view) == row.stays)
        #expect(rig.view.image === failed && (rig.view.kf.placeholder != nil) == row.stays)
    }

    @Test func liesBeneathTheIndicatorAndOtherSubviews() throws {
        let badge = View()
        view.addSubview(badge)
        view.kf.indicatorType = .activity
        rig.bench.stub.hold()
        _ = rig.load(placeholder: sign)
        let indicator = try #require(view.kf.indicator).view
        #expect(
            view.subviews.map(ObjectIdentifier.init) == [sign, badge, indicator].map(ObjectIdentifier.init))
        view.kf.cancelDownloadTask()
    }

    @Test func givenTwiceInARowItStaysWhereItIs() async throws {
        rig.bench.stub.hold()
        let first = rig.load(placeholder: sign)
        let renderer = RecordingRenderer()
        view.renderer = renderer
        let second = rig.load(Bench.freshURL(), placeholder: sign)
        #expect(isShown && view.subviews.count == 1)
        #expect(!renderer.takeChanges().contains(.subviews))
        rig.bench.stub.release()
        _ = try await (first.result(), second.result())
        #expect(!isShown && view.image != nil)
    }

    @Test func afterAnImageItIsShownAnew() async throws {
        _ = try await rig.load(placeholder: sign).result().get()
        rig.bench.stub.hold()
        let load = rig.load(Bench.freshURL(), placeholder: sign)
        #expect(isShown && view.image == nil)
        rig.bench.stub.release()
        _ = try await load.result().get()
        #expect(!isShown)
    }

    @Test func comesFromWhereverItWasAndIsNotTakenFromWhereItWent() async throws {
        let (parent, other) = (View(), ImageView())
        parent.addSubview(sign)
        rig.bench.stub.hold()
        let first = rig.load(placeholder: sign)
        #expect(isShown && parent.subviews.isEmpty)
        let second = rig.load(Bench.freshURL(), in: other, placeholder: sign)
        #expect(sign.superview === other && view.subviews.isEmpty)
        first.task?.cancel()
        #expect(try await first.result().failure?.isTaskCancelled == true)
        // The first view's next load has nothing of this sign to take away.
        _ = rig.load(nil as Source?)
        #expect(sign.superview === other && other.kf.placeholder as? Sign === sign)
        rig.bench.stub.release()
        _ = try await second.result().get()
        #expect(sign.superview == nil)
    }

    @Test func givesWayToThePlaceholderOfTheNextLoad() throws {
        let image = try Image.blank()
        rig.bench.stub.hold()
        _ = rig.load(placeholder: sign)
        _ = rig.load(Bench.freshURL(), placeholder: image)
        #expect(!isShown && view.image === image)
        _ = rig.load(Bench.freshURL(), placeholder: sign)
        #expect(isShown && view.image == nil)
        _ = rig.load(Bench.freshURL())
        #expect(!isShown && view.image == nil && view.kf.placeholder == nil)
        view.kf.cancelDownloadTask()
    }

    @Test(
        "With keepCurrentImageWhileLoading it is shown only where there is no image",
        arguments: [false, true])
    func keepsCurrentImage(hasImage: Bool) throws {
        let image = hasImage ? try Image.blank() : nil
        view.image = image
        rig.bench.stub.hold()
        _ = rig.load(placeholder: sign, [.keepCurrentImageWhileLoading])
        #expect(isShown != hasImage && view.image === image)
        view.kf.cancelDownloadTask()
    }

    @Test func anImageIsThePlaceholderOfAnythingWithAnImage() throws {
        let (badge, image) = (Badge(), try Image.blank())
        image.add(to: badge)
        #expect(badge.image === image)
        image.remove(from: badge)
        #expect(badge.image == nil)
        image.add(to: view)
        #expect(view.image === image)
    }
}
