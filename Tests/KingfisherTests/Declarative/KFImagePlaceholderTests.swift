import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// Placeholders that follow the progress, with a loopback server that sends an image in halves.
@Suite @MainActor struct KFImagePlaceholderTests {
    private final class Bar: View {
        var fraction = -1.0
    }

    private let rig: KFImageRig
    private let server: LoopbackServer
    private let gate = ServerGate()
    private let size: Int

    init() throws {
        rig = try KFImageRig()
        let data = try TestImages.jpeg
        let half = data.count / 2
        size = data.count
        server = try LoopbackServer { [gate] request in
            guard request.path == "/halves" else { return .status(404) }
            return .partial(data.prefix(half), of: data.count, then: .hold(gate))
                .then(.send(data.dropFirst(half)))
        }
    }

    private func value(_ path: String = "/halves") -> KFImage {
        rig.image(server.url(path)).downloader(ImageDownloader(name: "halves"))
    }

    private func waits(for fraction: Double, in view: ImageView) async -> Bool {
        await poll { view.descendants(Bar.self).first.map { abs($0.fraction - fraction) < 0.01 } == true }
    }

    @Test("The placeholder is rebuilt for each progress, and removed when the image is shown")
    func rebuilt() async throws {
        let seen = Inbox<Double>()
        let view = rig.show(
            value().placeholder { progress in
                let bar = Bar()
                bar.fraction = progress.fractionCompleted
                seen.put(progress.fractionCompleted)
                return bar
            })
        #expect(seen.values == [0])
        #expect(await waits(for: 0.5, in: view))
        #expect(view.descendants(Bar.self).count == 1)
        gate.release()
        #expect(view.image == nil)
        _ = try await rig.outcome().get()
        #expect(view.image != nil && view.subviews.isEmpty)
        #expect(seen.values == seen.values.sorted() && seen.values.first == 0)
    }

    @Test("A placeholder that is the same view each time stays in the image view")
    func sameView() async throws {
        let bar = Bar()
        let view = rig.show(
            value().placeholder { progress in
                bar.fraction = progress.fractionCompleted
                return bar
            })
        let host = try #require(bar.superview)
        let renderer = RecordingRenderer()
        host.renderer = renderer
        #expect(await waits(for: 0.5, in: view))
        #expect(bar.superview === host && bar.isDescendant(of: view))
        gate.release()
        _ = try await rig.outcome().get()
        #expect(bar.superview == nil)
    }

    @Test("The placeholder and the failure view name the image, also after a change of their text")
    func names() async throws {
        let (loading, failed) = (View(), View())
        loading.alternativeText = "Loading"
        failed.alternativeText = "Not available"
        let view = rig.show(value("/missing").placeholder { loading }.onFailureView { failed })
        #expect(view.accessibility.label == "Loading")
        _ = rig.renderer.takeChanges()
        loading.alternativeText = "Waiting"
        #expect(view.accessibility.label == "Waiting")
        #expect(rig.renderer.takeChanges() == [.accessibility])
        #expect(reason(try await rig.outcome()) != nil)
        #expect(view.accessibility.label == "Not available")
    }

    @Test("The progress counts bytes, and is indeterminate before the first of them")
    func units() async throws {
        let (first, latest) = (Inbox<Bool>(), Inbox<Int64>())
        let reported = Inbox<Int64>()
        let view = rig.show(
            value().placeholder { progress in
                first.put(progress.isIndeterminate)
                latest.put(progress.totalUnitCount)
                return View()
            }.onProgress { _, total in reported.put(total) })
        #expect(first.values == [true])
        #expect(try await latest.first(2)[1] == Int64(size) && first.values[1] == false)
        #expect(try await reported.first() == Int64(size))
        gate.release()
        _ = try await rig.outcome().get()
        #expect(view.subviews.isEmpty)
    }

    @Test("A placeholder without progress is made once for each load")
    func madeOnce() async throws {
        let made = Inbox<Void>()
        func next(_ path: String) -> KFImage {
            value(path).placeholder {
                made.put()
                return Bar()
            }.onProgress { _, _ in }
        }
        let view = next("/halves").makeView()
        #expect(made.count == 1 && view.descendants(Bar.self).count == 1)
        rig.display(view, isVisible: true)
        next("/halves").update(view)
        let server = server
        #expect(await poll { @Sendable in server.requestCount() == 1 })
        #expect(made.count == 1)
        next("/missing").update(view)
        #expect(made.count == 2 && view.descendants(Bar.self).count == 1)
        gate.release()
        #expect(reason(try await rig.outcome()) != nil)
    }

    @Test("The failure view replaces the placeholder after a kept image, too")
    func failureAfterKeptImage() async throws {
        gate.release()
        let view = rig.show(value())
        _ = try await rig.outcome().get()
        let failed = View()
        value("/missing").keepCurrentImageWhileLoading().onFailureView { failed }.update(view)
        #expect(view.image != nil)
        #expect(reason(try #require(try await rig.outcomes.first(2).last)) != nil)
        #expect(view.image == nil && failed.isDescendant(of: view))
    }

    @Test("A placeholder of any type is added and removed")
    func anyPlaceholder() async throws {
        let placeholder = RecordingPlaceholder()
        let view = value().placeholder(placeholder).makeView()
        #expect(placeholder.isShown)
        rig.display(view, isVisible: true)
        gate.release()
        _ = try await rig.outcome().get()
        #expect(!placeholder.isShown && view.kf.placeholder == nil)
    }
}
