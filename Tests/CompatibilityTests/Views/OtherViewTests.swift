import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

/// A model with an image, which gets `kf.setImage`.
@MainActor private final class ImageModel: KingfisherHasImageComponent {
    var image: KFCrossPlatformImage?
}

/// A type that stores its image elsewhere.
@MainActor private final class ImageFrame: KingfisherImageSettable {
    private(set) var images: [KFCrossPlatformImage] = []

    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        if let image { images.append(image) }
    }

    func getImage() -> KFCrossPlatformImage? {
        images.last
    }
}

/// Buttons, text attachments and custom types with an image.
@Suite(.timeLimit(.minutes(1))) @MainActor struct OtherViewTests {
    let box: Sandbox
    private let url: URL

    init() throws {
        box = try Sandbox()
        url = box.url("PNG/rgb8.png")
    }

    @Test("A button shows images for its states")
    func button() async throws {
        let button = Button(title: "Play")
        let normal: Outcome = await answer { done in
            button.kf.setImage(with: url, for: .normal, options: box.options, completionHandler: done)
            #expect(button.kf.taskIdentifier(for: .normal) != nil)
            #expect(button.kf.taskIdentifier(for: .highlighted) == nil)
        }
        #expect(button.image(for: .normal) === (try normal.get().image))
        let background: Outcome = await answer { done in
            button.kf.setBackgroundImage(
                with: Source.network(box.url("PNG/gray8.png")), for: .selected, options: box.options,
                completionHandler: done)
            #expect(button.kf.backgroundTaskIdentifier(for: .selected) != nil)
        }
        #expect(button.backgroundImage(for: .selected) === (try background.get().image))
        let focused: Outcome = await answer { done in
            button.kf.setImage(
                with: Source.network(url), for: .focused,
                parsedOptions: KingfisherParsedOptionsInfo(box.options), completionHandler: done)
        }
        #expect(button.image(for: .focused) === (try focused.get().image))
    }

    @Test("A button cancels the loads of its image and its background separately")
    func buttonCancels() async throws {
        let button = KFCrossPlatformButton()
        let slow = box.url("slow/PNG/rgb8.png")
        var background: Outcome?
        let image: Outcome = await answer { done in
            button.kf.setImage(with: slow, for: .normal, options: box.options, completionHandler: done)
            button.kf.setBackgroundImage(
                with: slow, for: .normal, options: box.options, completionHandler: { background = $0 })
            button.kf.cancelImageDownloadTask()
        }
        guard case .failure(let error) = image else {
            Issue.record("\(image)")
            return
        }
        #expect(error.isTaskCancelled && background == nil)
        button.kf.cancelBackgroundImageDownloadTask()
        #expect(await poll { background != nil })
    }

    @Test("A button shows an image and an alternate one")
    func alternate() async throws {
        let button = Button()
        let image: Outcome = await answer { done in
            button.kf.setImage(with: url, options: box.options, completionHandler: done)
            #expect(button.kf.taskIdentifier != nil)
        }
        let alternate: Outcome = await answer { done in
            button.kf.setAlternateImage(
                with: box.url("PNG/gray8.png"), placeholder: KFCrossPlatformImage(), options: box.options,
                completionHandler: done)
            #expect(button.kf.alternateTaskIdentifier != nil && button.kf.taskIdentifier == nil)
        }
        #expect(button.image === (try image.get().image))
        #expect(button.alternateImage === (try alternate.get().image))
        button.kf.setAlternateImage(with: box.url("slow/PNG/rgb8.png"), options: box.options)
        button.kf.cancelAlternateImageDownloadTask()
        #expect(await poll { button.kf.alternateTaskIdentifier == nil })
    }

    @Test("A text attachment shows an image")
    func attachment() async throws {
        let (attachment, label) = (TextAttachment(), View())
        let outcome: Outcome = await answer { done in
            attachment.kf.setImage(
                with: url, attributedView: label, placeholder: KFCrossPlatformImage(), options: box.options,
                completionHandler: done)
            #expect(attachment.image?.size == .zero && attachment.kf.taskIdentifier != nil)
        }
        #expect(attachment.image === (try outcome.get().image))
        let cancelled: Outcome = await answer { done in
            attachment.kf.setImage(
                with: Source.network(box.url("slow/PNG/rgb8.png")), attributedView: label,
                options: box.options, completionHandler: done)
            attachment.kf.cancelDownloadTask()
        }
        #expect(throws: KingfisherError.self) { try cancelled.get() }
    }

    @Test("A custom type with an image property loads an image")
    func model() async throws {
        let model = ImageModel()
        let outcome: Outcome = await answer { done in
            model.kf.setImage(
                with: url, placeholder: KFCrossPlatformImage(), options: box.options, completionHandler: done)
            #expect(model.image?.size == .zero && model.kf.taskIdentifier != nil)
        }
        #expect(model.image === (try outcome.get().image))
        model.kf.setImage(with: box.url("slow/PNG/rgb8.png"), options: box.options)
        model.kf.cancelDownloadTask()
        #expect(await poll { model.kf.taskIdentifier == nil })
    }

    @Test("A custom type with its own storage loads images")
    func frame() async throws {
        let frame = ImageFrame()
        for path in ["PNG/rgb8.png", "JPEG/420.jpg"] {
            let outcome: Outcome = await answer { done in
                frame.kf.setImage(
                    with: Source.network(box.url(path)), options: box.options, completionHandler: done)
            }
            #expect(frame.getImage() === (try outcome.get().image))
        }
        #expect(frame.images.map(\.size.width) == [33, 48])
    }
}
