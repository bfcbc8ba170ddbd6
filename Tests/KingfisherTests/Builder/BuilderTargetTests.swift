import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// All targets of a builder except image views.
@Suite @MainActor struct BuilderTargetTests {
    /// A target for an image, with its setter and getters.
    struct Target: Sendable, CustomTestStringConvertible {
        let name: String
        let set: @MainActor @Sendable (KF.Builder, TargetViews) -> DownloadTask?
        let shown: @MainActor @Sendable (TargetViews) -> Image?
        let identifier: @MainActor @Sendable (TargetViews) -> Source.Identifier.Value?

        var testDescription: String { name }
    }

    @MainActor struct TargetViews {
        let button = Button()
        let attachment = TextAttachment()
        let text = View()
    }

    nonisolated static let targets = [
        Target(
            name: "a text attachment", set: { $0.set(to: $1.attachment, attributedView: $1.text) },
            shown: { $0.attachment.image }, identifier: { $0.attachment.kf.taskIdentifier }),
        Target(
            name: "a button", set: { $0.set(to: $1.button) }, shown: { $0.button.image(for: .normal) },
            identifier: { $0.button.kf.taskIdentifier(for: .normal) }),
        Target(
            name: "a button when pressed", set: { $0.set(to: $1.button, for: .highlighted) },
            shown: { $0.button.image(for: .highlighted) },
            identifier: { $0.button.kf.taskIdentifier(for: .highlighted) }),
        Target(
            name: "the background of a disabled button",
            set: { $0.setBackground(to: $1.button, for: .disabled) },
            shown: { $0.button.backgroundImage(for: .disabled) },
            identifier: { $0.button.kf.backgroundTaskIdentifier(for: .disabled) }),
        Target(
            name: "a button's alternate image", set: { $0.setAlternative(to: $1.button) },
            shown: { $0.button.alternateImage }, identifier: { $0.button.kf.alternateTaskIdentifier }),
    ]

    let bench: Bench
    let views = TargetViews()

    init() throws { bench = try Bench() }

    private var builder: KF.Builder {
        KF.url(bench.url).targetCache(bench.cache).downloader(bench.downloader)
    }

    @Test("The image is set to its target and to no other", arguments: targets)
    func load(target: Target) async throws {
        let (loaded, progress) = (Inbox<RetrieveImageResult>(), Inbox<Int64>())
        let placeholder = try Image.blank()
        bench.stub.hold()
        let builder = builder.placeholder(placeholder).scaleFactor(2).onProgress { received, _ in
            progress.put(received)
        }
        let task = target.set(builder.onSuccess { loaded.put($0) }, views)
        #expect(task != nil && target.shown(views) === placeholder && target.identifier(views) != nil)
        bench.stub.release()

        let image = try await loaded.first().image
        #expect(image.scale == 2 && target.shown(views) === image && target.identifier(views) == nil)
        #expect(progress.values.last == Int64(try TestImages.png.count))
        for other in Self.targets where other.name != target.name {
            // A button's normal image is also used for its other states.
            let isServed = target.name == "a button" && other.name == "a button when pressed"
            #expect(other.shown(views) === (isServed ? image : nil), "\(other)")
        }
    }

    @Test("A failure calls the failure handler and leaves the failure image", arguments: targets)
    func failure(target: Target) async throws {
        let broken = try Bench(serving: TestImages.garbage)
        let (failed, image) = (Inbox<KingfisherError>(), try Image.blank())
        let builder = builder.downloader(broken.downloader).onFailureImage(image)
        _ = target.set(builder.onFailure { failed.put($0) }, views)
        #expect(try await failed.first().reasonName == "processingFailed")
        #expect(target.shown(views) === image)
    }

    @Test("A placeholder that is not an image leaves the target empty", arguments: targets)
    func viewPlaceholder(target: Target) throws {
        let (failed, placeholder) = (Inbox<KingfisherError>(), RecordingPlaceholder())
        let task = target.set(
            KF.source(nil).placeholder(placeholder).onFailure { failed.put($0) }, views)
        #expect(task == nil && failed.values.map(\.reasonName) == ["emptySource"])
        #expect(placeholder.added == 0 && target.shown(views) == nil)
    }

    @Test("The attributed view is evaluated when the image is loaded, not before")
    func attributedView() async throws {
        var evaluations = 0
        let loaded = Inbox<Void>()
        func text() -> View {
            evaluations += 1
            return views.text
        }
        bench.stub.hold()
        builder.onSuccess { _ in loaded.put() }.set(to: views.attachment, attributedView: text())
        #expect(evaluations == 0)
        bench.stub.release()
        _ = try await loaded.first(1)
        #expect(evaluations == 1)
    }

    @Test("One builder serves all targets")
    func allTargets() async throws {
        let loaded = Inbox<Image>()
        let builder = builder.onSuccess { loaded.put($0.image) }
        for target in Self.targets { _ = target.set(builder, views) }
        _ = try await loaded.first(Self.targets.count)
        let shown = Self.targets.map { $0.shown(views) }
        #expect(shown.allSatisfy { $0?.size == TestImages.pngSize })
        #expect(bench.stub.requests.count == 1)
    }
}
