import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// `update(_:)`: which changes of a value load again.
@Suite @MainActor struct KFImageUpdateTests {
    let rig: KFImageRig

    init() throws { rig = try KFImageRig() }

    @Test("An equal source and processor change nothing, neither on screen nor in the running load")
    func sameImage() async throws {
        func value() -> KFImage {
            rig.image().placeholder { View() }.blur(radius: 1).configure { $0.alpha = 0.5 }
        }
        rig.bench.stub.hold()
        let view = rig.show(value())
        #expect(await rig.starts(view))
        let (identifier, subviews) = (view.kf.taskIdentifier, view.subviews.map(\.subviews))
        _ = rig.renderer.takeChanges()
        #expect(value().update(view))
        #expect(view.kf.taskIdentifier == identifier && view.subviews.map(\.subviews) == subviews)
        #expect(rig.renderer.takeChanges().isEmpty)
        rig.bench.stub.release()
        let image = try await rig.outcome().get().image
        _ = rig.renderer.takeChanges()
        #expect(value().update(view))
        #expect(view.image === image && rig.renderer.takeChanges().isEmpty)
        await passMainQueue()
        #expect(rig.outcomes.count == 1 && rig.bench.stub.requests.count == 1)
    }

    @Test(
        "Another URL, processor or size of decoding shows the placeholder and loads again",
        arguments: [
            { rig, _ in rig.image(Bench.freshURL()) }, { $1.appendProcessor(CountingProcessor("other")) },
            { $1.resizable().decodesToViewSize() },
        ] as [@MainActor @Sendable (KFImageRig, KFImage) -> KFImage])
    func otherImage(change: @MainActor @Sendable (KFImageRig, KFImage) -> KFImage) async throws {
        let (view, placeholder) = (rig.show(rig.image()), try Image.blank())
        _ = try await rig.outcome().get()
        #expect(change(rig, rig.image()).placeholder(placeholder).update(view))
        #expect(view.image === placeholder && view.kf.taskIdentifier != nil)
        let second = try #require(try await rig.outcomes.first(2).last).get().image
        #expect(view.image === second)
    }

    @Test("Another scale or selection of frames loads again, although memory has the image")
    func otherDecoding() async throws {
        let view = rig.show(rig.image())
        _ = try await rig.outcome().get()
        rig.image().scaleFactor(2).update(view)
        _ = try await rig.outcomes.first(2)
        rig.image().scaleFactor(2).onlyLoadFirstFrame().update(view)
        _ = try await rig.outcomes.first(3)
        rig.image().scaleFactor(2).onlyLoadFirstFrame().update(view)
        await passMainQueue()
        #expect(rig.outcomes.count == 3 && view.image != nil)
    }

    @Test("Another image in memory replaces the first during the call")
    func otherImageInMemory() async throws {
        let url = Bench.freshURL()
        let other = try await rig.bench.retrieve(url).get().image
        let view = rig.show(rig.image())
        _ = try await rig.outcome()
        rig.image(url).update(view)
        #expect(view.image === other)
    }

    @Test("The alternative text follows the value; one that the program has set stays")
    func alternativeText() {
        let view = rig.image().alternativeText("A cat").makeView()
        #expect(view.accessibility.label == "A cat")
        rig.image().alternativeText("A dog").update(view)
        #expect(view.accessibility.label == "A dog")
        rig.image(Bench.freshURL()).update(view)
        #expect(view.accessibility.label == nil)
        view.alternativeText = "A bird"
        rig.image().update(view)
        #expect(view.accessibility.label == "A bird")
    }

    @Test("Of two loads only the current one is shown and calls a handler, the other neither")
    func superseded() async throws {
        let (first, second) = (Bench.freshURL(), Bench.freshURL())
        rig.bench.stub.hold()
        let view = rig.show(rig.image(first))
        #expect(await rig.starts(view))
        rig.image(second).update(view)
        rig.bench.stub.release()
        let result = try await rig.outcome().get()
        #expect(result.source.url == second && view.image === result.image)
        let stub = rig.bench.stub
        #expect(await poll { @Sendable in stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(rig.outcomes.count == 1 && view.image === result.image)
    }

    @Test(
        "The download of a replaced image is cancelled with cancelOnDisappear(true) only, without a handler",
        arguments: [true, false])
    func cancelledByUpdate(cancels: Bool) async throws {
        let stub = rig.bench.stub
        stub.hold()
        let view = rig.show(rig.image().cancelOnDisappear(cancels))
        #expect(await poll { @Sendable in stub.liveTransfers == 1 })
        rig.connected(KFImage(nil)).update(view)
        if cancels {
            #expect(await poll { @Sendable in stub.liveTransfers == 0 })
        } else {
            await passMainQueue()
            #expect(stub.liveTransfers == 1)
        }
        stub.release()
        #expect(await poll { @Sendable in stub.liveTransfers == 0 })
        #expect(reason(try await rig.outcome()) == "emptySource")
    }

    @Test("A view that was emptied for reuse shows an equal value again, without a callback in between")
    func reused() async throws {
        let view = rig.show(rig.image())
        _ = try await rig.outcome()
        view.kf.cancelOnDisappear = .seconds(1)
        view.kf.prepareForReuse()
        #expect(view.image == nil)
        #expect(rig.image().update(view) && view.image != nil)
        #expect(view.kf.cancelOnDisappear == .seconds(1))
        _ = try await rig.outcomes.first(2)
        #expect(rig.outcomes.count == 2)
    }

    @Test("A view that is not on screen shows the placeholder of its next image until it appears")
    func updatedOffScreen() async throws {
        let view = rig.show(rig.image())
        _ = try await rig.outcome()
        rig.display(view, isVisible: false)
        let placeholder = try Image.blank()
        rig.image(Bench.freshURL()).placeholder(placeholder).update(view)
        #expect(view.image === placeholder && rig.bench.stub.requests.count == 1)
        rig.display(view, isVisible: true)
        let second = try #require(try await rig.outcomes.first(2).last).get().image
        #expect(view.image === second)
    }

    @Test("A load that is superseded off screen is not shown when it ends")
    func supersededOffScreen() async throws {
        rig.bench.stub.hold()
        let view = rig.show(rig.image())
        #expect(await rig.starts(view))
        rig.display(view, isVisible: false)
        rig.image(Bench.freshURL()).update(view)
        rig.bench.stub.release()
        let stub = rig.bench.stub
        #expect(await poll { @Sendable in stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(view.image == nil && rig.outcomes.count == 0)
    }

    @Test("With keepCurrentImageWhileLoading() the image stays until the next one is loaded")
    func keptImage() async throws {
        let view = rig.show(rig.image())
        let first = try await rig.outcome().get().image
        rig.bench.stub.hold()
        let next = rig.image(Bench.freshURL()).keepCurrentImageWhileLoading().placeholder { _ in View() }
        next.update(view)
        #expect(view.image === first && view.subviews.isEmpty)
        rig.bench.stub.release()
        #expect(view.image === first)
        let second = try #require(try await rig.outcomes.first(2).last).get().image
        #expect(view.image === second)
    }

    @Test("A running load reports to the handlers of the latest value")
    func latestHandlers() async throws {
        rig.bench.stub.hold()
        let (old, new) = (Inbox<Void>(), Inbox<Void>())
        let view = rig.show(rig.image().onSuccess { _ in old.put() })
        #expect(await rig.starts(view))
        rig.image().onSuccess { _ in new.put() }.update(view)
        rig.bench.stub.release()
        try await new.first()
        await passMainQueue()
        #expect(old.count == 0 && new.count == 1)
    }

    @Test("Content mode and configuration change without another load; blocks run in order at each update")
    func appearance() async throws {
        let view = rig.show(rig.image())
        let image = try await rig.outcome().get().image
        let steps = Inbox<Int>()
        let value = rig.image().resizable().scaledToFit().configure { _ in steps.put(1) }
            .configure { view in
                steps.put(2)
                view.alpha = 0.25
            }
        value.update(view)
        #expect(view.contentMode == .scaleAspectFit && view.alpha == 0.25 && steps.values == [1, 2])
        value.update(view)
        #expect(steps.values == [1, 2, 1, 2])
        rig.image().update(view)
        #expect(view.contentMode == .center && view.image === image && rig.outcomes.count == 1)
    }

    @Test("The configuration is applied before the load starts")
    func configuredFirst() async throws {
        let (events, value) = (Inbox<Bool>(), rig.image().startLoadingBeforeViewAppear())
        _ = value.configure { events.put($0.kf.taskIdentifier == nil) }.makeView()
        #expect(events.values == [true])
    }

    @Test("A view of another kind of value is refused and stays as it is")
    func otherKind() async throws {
        let animated = rig.connected(KFAnimatedImage(rig.bench.url)).makeView()
        #expect(!rig.image().update(animated) && animated.contentMode == .scaleToFill)
        let plain = rig.image().makeView()
        #expect(!KFAnimatedImage(rig.bench.url).update(plain) && plain.contentMode == .center)
        #expect(rig.image().update(plain))
    }

    @Test("A view of the application can be updated, too")
    func adoptedView() async throws {
        final class OwnView: ImageView {}
        let view = OwnView()
        view.renderer = rig.renderer
        #expect(rig.image().resizable().update(view))
        let image = try await rig.outcome().get().image
        #expect(view.image === image)
    }
}
