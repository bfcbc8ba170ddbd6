import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

/// A view model that has an image, and so has `kf.setImage`.
@MainActor private final class Card: KingfisherHasImageComponent {
    var image: KFCrossPlatformImage?
}

/// Something that keeps its image elsewhere.
@MainActor private final class Frame: KingfisherImageSettable {
    private(set) var images: [KFCrossPlatformImage] = []

    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        if let image { images.append(image) }
    }

    func getImage() -> KFCrossPlatformImage? {
        images.last
    }
}

/// Buttons, attachments in texts, and views of a program's own.
@Suite(.timeLimit(.minutes(1))) @MainActor struct OtherViewTests {
    let box: Sandbox
    private let url: URL

    init() throws {
        box = try Sandbox()
        url = box.url("PNG/rgb8.png")
    }

    @Test("Shows images on a button for its states")
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

    @Test("Cancels what a button loads, its image and its background apart")
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
        #expect(await settled { background != nil })
    }

    @Test("Shows an image and an alternate one on a button of AppKit's kind")
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
        #expect(await settled { button.kf.alternateTaskIdentifier == nil })
    }

    @Test("Shows an image in the middle of a text")
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

    @Test("Loads an image into a type of its own")
    func card() async throws {
        let card = Card()
        let outcome: Outcome = await answer { done in
            card.kf.setImage(
                with: url, placeholder: KFCrossPlatformImage(), options: box.options, completionHandler: done)
            #expect(card.image?.size == .zero && card.kf.taskIdentifier != nil)
        }
        #expect(card.image === (try outcome.get().image))
        card.kf.setImage(with: box.url("slow/PNG/rgb8.png"), options: box.options)
        card.kf.cancelDownloadTask()
        #expect(await settled { card.kf.taskIdentifier == nil })
    }

    @Test("Loads images into a type that keeps them its own way")
    func frame() async throws {
        let frame = Frame()
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
