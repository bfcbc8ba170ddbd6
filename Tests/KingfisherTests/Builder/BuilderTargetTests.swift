import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Everything but an image view that a builder sets an image to.
@Suite @MainActor struct BuilderTargetTests {
    /// A place for an image, and how a builder and a reader get at it.
    struct Place: Sendable, CustomTestStringConvertible {
        let name: String
        let set: @MainActor @Sendable (KF.Builder, Places) -> DownloadTask?
        let shown: @MainActor @Sendable (Places) -> Image?
        let identifier: @MainActor @Sendable (Places) -> Source.Identifier.Value?

        var testDescription: String { name }
    }

    @MainActor struct Places {
        let button = Button()
        let attachment = TextAttachment()
        let text = View()
    }

    nonisolated static let places = [
        Place(
            name: "a text attachment", set: { $0.set(to: $1.attachment, attributedView: $1.text) },
            shown: { $0.attachment.image }, identifier: { $0.attachment.kf.taskIdentifier }),
        Place(
            name: "a button", set: { $0.set(to: $1.button) }, shown: { $0.button.image(for: .normal) },
            identifier: { $0.button.kf.taskIdentifier(for: .normal) }),
        Place(
            name: "a button when pressed", set: { $0.set(to: $1.button, for: .highlighted) },
            shown: { $0.button.image(for: .highlighted) },
            identifier: { $0.button.kf.taskIdentifier(for: .highlighted) }),
        Place(
            name: "the background of a disabled button",
            set: { $0.setBackground(to: $1.button, for: .disabled) },
            shown: { $0.button.backgroundImage(for: .disabled) },
            identifier: { $0.button.kf.backgroundTaskIdentifier(for: .disabled) }),
        Place(
            name: "a button's alternate image", set: { $0.setAlternative(to: $1.button) },
            shown: { $0.button.alternateImage }, identifier: { $0.button.kf.alternateTaskIdentifier }),
    ]

    let bench: Bench
    let world = Places()

    init() throws { bench = try Bench() }

    private var builder: KF.Builder {
        KF.url(bench.url).targetCache(bench.cache).downloader(bench.downloader)
    }

    @Test("The image goes where it is set to, and nowhere else", arguments: places)
    func load(place: Place) async throws {
        let (loaded, progress) = (Inbox<RetrieveImageResult>(), Inbox<Int64>())
        let placeholder = try Image.blank()
        bench.stub.hold()
        let builder = builder.placeholder(placeholder).scaleFactor(2).onProgress { received, _ in
            progress.put(received)
        }
        let task = place.set(builder.onSuccess { loaded.put($0) }, world)
        #expect(task != nil && place.shown(world) === placeholder && place.identifier(world) != nil)
        bench.stub.release()

        let image = try await loaded.first().image
        #expect(image.scale == 2 && place.shown(world) === image && place.identifier(world) == nil)
        #expect(progress.values.last == Int64(try TestImages.png.count))
        for other in Self.places where other.name != place.name {
            // A button's normal image serves its other states, too.
            let isServed = place.name == "a button" && other.name == "a button when pressed"
            #expect(other.shown(world) === (isServed ? image : nil), "\(other)")
        }
    }

    @Test("A failure goes to its handler, and leaves the failure image", arguments: places)
    func failure(place: Place) async throws {
        let broken = try Bench(serving: TestImages.garbage)
        let (failed, image) = (Inbox<KingfisherError>(), try Image.blank())
        let builder = builder.downloader(broken.downloader).onFailureImage(image)
        _ = place.set(builder.onFailure { failed.put($0) }, world)
        #expect(try await failed.first().reasonName == "processingFailed")
        #expect(place.shown(world) === image)
    }

    @Test("A placeholder that is no image leaves such a place empty", arguments: places)
    func viewPlaceholder(place: Place) throws {
        let (failed, placeholder) = (Inbox<KingfisherError>(), RecordingPlaceholder())
        let task = place.set(
            KF.source(nil).placeholder(placeholder).onFailure { failed.put($0) }, world)
        #expect(task == nil && failed.values.map(\.reasonName) == ["emptySource"])
        #expect(placeholder.added == 0 && place.shown(world) == nil)
    }

    @Test("The view with the text is asked for when the image is there, not before")
    func attributedView() async throws {
        var asked = 0
        let loaded = Inbox<Void>()
        func text() -> View {
            asked += 1
            return world.text
        }
        bench.stub.hold()
        builder.onSuccess { _ in loaded.put() }.set(to: world.attachment, attributedView: text())
        #expect(asked == 0)
        bench.stub.release()
        _ = try await loaded.first(1)
        #expect(asked == 1)
    }

    @Test("One builder fills every place")
    func allPlaces() async throws {
        let loaded = Inbox<Image>()
        let builder = builder.onSuccess { loaded.put($0.image) }
        for place in Self.places { _ = place.set(builder, world) }
        _ = try await loaded.first(Self.places.count)
        let shown = Self.places.map { $0.shown(world) }
        #expect(shown.allSatisfy { $0?.size == TestImages.pngSize })
        #expect(bench.stub.requests.count == 1)
    }
}
