import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import Testing

extension GTKTests {
    /// Images in text.
    @Suite(.serialized) @MainActor struct Texts {
        let window = TestWindow(width: 200, height: 120)
        let view = TextView("Before ")
        let attachment = TextAttachment()

        private func redBox() -> CGRect? { Screenshot(of: view)?.redBox }

        private func red(_ width: Int, _ height: Int) throws -> Image {
            try .solid([255, 0, 0, 255], width: width, height: height)
        }

        @Test("The text contains an object replacement character for each attachment")
        func text() {
            view.append(attachment)
            view.append(" after")
            #expect(view.text == "Before \u{fffc} after")
            attachment.insert(into: view.buffer, at: 0)
            attachment.insert(into: view.buffer, at: 10_000)
            #expect(view.text == "\u{fffc}Before \u{fffc} after\u{fffc}")
            view.text = "Überall"
            #expect(view.text == "Überall")
            #expect(!view.isEditable)
            view.isEditable = true
            #expect(view.isEditable)
        }

        @Test("NUL characters are removed from text")
        func nulCharacters() {
            view.text = "One\0 two"
            view.append(" \0three\0")
            #expect(view.text == "One two three")
            let label = Label("One\0 two")
            #expect(label.text == "One two")
            label.text = "\0Three"
            #expect(label.text == "Three")
        }

        @Test("An image that is set later is laid out and drawn")
        func lateImage() async throws {
            view.append(attachment)
            view.append(" after")
            try #require(await window.present(view))
            #expect(redBox() == nil)
            attachment.image = try red(30, 20)
            #expect(await GTK.wait { redBox()?.size == CGSize(width: 30, height: 20) })
            let left = try #require(redBox()).minX
            #expect(left > 30)
            // Another size, then another image of the same size.
            attachment.image = try red(60, 40)
            #expect(await GTK.wait { redBox()?.size == CGSize(width: 60, height: 40) })
            #expect(redBox()?.minX == left)
            attachment.image = try .solid([0, 0, 255, 255], width: 60, height: 40)
            #expect(await GTK.wait { redBox() == nil })
            #expect(try await Screenshot.take(of: view).blueBox?.size == CGSize(width: 60, height: 40))
            attachment.image = nil
            #expect(await GTK.wait { Screenshot(of: view)?.blueBox == nil })
        }

        @Test("The bounds set the size and the offset from the baseline")
        func bounds() async throws {
            attachment.image = try red(30, 20)
            view.append(attachment)
            view.append(" after")
            try #require(await window.present(view))
            #expect(await GTK.wait { redBox()?.size == CGSize(width: 30, height: 20) })
            attachment.bounds = CGRect(x: 0, y: 0, width: 10, height: 12)
            #expect(await GTK.wait { redBox()?.size == CGSize(width: 10, height: 12) })
            let onBaseline = try #require(redBox())
            // Text is dark on a light background. The bottom of "B" is on the baseline.
            let letters = try #require(try await Screenshot.take(of: view).box { $0 < "ff808080" })
            #expect(abs(onBaseline.maxY - letters.maxY) <= 1)
            attachment.bounds.origin.y = 6
            attachment.bounds.origin.y = -4
            #expect(
                await GTK.wait {
                    guard let shot = Screenshot(of: view), let box = shot.redBox,
                        let letters = shot.box(where: { $0 < "ff808080" })
                    else { return false }
                    return abs(box.maxY - letters.maxY - 4) <= 1
                })
        }

        @Test("A load into an attachment shows the image in the text")
        func load() async throws {
            view.append(attachment)
            view.append(" after")
            try #require(await window.present(view))
            let data = try #require(try red(24, 24).pngData())
            let source = Source.provider(RawImageDataProvider(data: data, cacheKey: "text"))
            let result = await withCheckedContinuation { done in
                attachment.kf.setImage(
                    with: source, attributedView: view, options: [.forceRefresh, .cacheMemoryOnly],
                    completionHandler: { done.resume(returning: $0) })
            }
            #expect((try? result.get())?.image.size == CGSize(width: 24, height: 24))
            #expect(await GTK.wait { redBox()?.size == CGSize(width: 24, height: 24) })
        }

        @Test("A template has the colour of the text")
        func templateColour() async throws {
            attachment.image = try red(20, 20).withRenderingMode(.alwaysTemplate)
            view.append(attachment)
            try #require(await window.present(view))
            #expect(redBox() == nil)
            #expect(try await Screenshot.take(of: view).box { $0 < "ff404040" } != nil)
        }

        @Test("An attachment in two texts is drawn in both")
        func sharedAttachment() async throws {
            let other = TextView()
            let parent = View()
            parent.addSubview(other)
            attachment.insert(into: view.buffer)
            attachment.insert(into: other.buffer)
            try #require(await window.present(view))
            attachment.image = try red(16, 16)
            #expect(await GTK.wait { redBox()?.size == CGSize(width: 16, height: 16) })
            let second = TestWindow(width: 100, height: 60)
            try #require(await second.present(other))
            #expect(await GTK.wait { Screenshot(of: other)?.box(of: "ffff0000")?.width == 16 })
        }

        @Test("A text retains its attachment until the text is replaced")
        func textRetainsAttachment() async throws {
            weak var image: TextAttachment?
            do {
                let new = TextAttachment(image: try .red)
                image = new
                view.append(new)
            }
            for _ in 0..<5 { await GTK.iterate() }
            #expect(image != nil)
            view.text = ""
            #expect(await GTK.wait { image == nil })
        }

        @Test("A released buffer releases its attachments")
        func releasedBuffer() async throws {
            weak var attachment: TextAttachment?
            let other = TextAttachment()
            do {
                let new = TextAttachment()
                attachment = new
                let buffer = gtk_text_buffer_new(nil)!
                new.insert(into: buffer)
                other.insert(into: buffer)
                new.image = try .red
                g_object_unref(buffer)
            }
            #expect(await GTK.wait { attachment == nil })
            // The other attachment has outlived its buffer.
            other.image = try .red
            other.bounds.size = CGSize(width: 3, height: 4)
        }

        @Test("A load completes and releases the text after its window was closed")
        func closedWindow() async throws {
            weak var text: TextView?
            var result: Result<RetrieveImageResult, KingfisherError>?
            let release = AsyncStream<Void>.makeStream()
            do {
                let new = TextView("Text ")
                text = new
                let image = TextAttachment()
                new.append(image)
                try #require(await window.present(new))
                image.kf.setImage(
                    with: .provider(GatedRed(gate: release.stream)), attributedView: new,
                    options: [.forceRefresh, .cacheMemoryOnly], completionHandler: { result = $0 })
            }
            window.close()
            for _ in 0..<5 { await GTK.iterate() }
            release.continuation.finish()
            #expect(await GTK.wait { result != nil })
            #expect(await GTK.wait { text == nil })
        }
    }
}

/// Returns a red image after its gate was opened.
struct GatedRed: ImageDataProvider {
    let gate: AsyncStream<Void>
    let cacheKey = UUID().uuidString

    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        Task {
            for await _ in gate {}
            handler(Result { try Image.red.pngData() ?? Data() })
        }
    }
}

extension Screenshot {
    /// The box of at least half red pixels, since images in text may not be aligned to pixels; with GTK 4.18
    /// they rarely are.
    fileprivate var redBox: CGRect? {
        box { $0.hasPrefix("ffff") && $0.suffix(4) < "8080" }
    }

    /// The box of at least half blue pixels.
    fileprivate var blueBox: CGRect? {
        box { $0.hasSuffix("ff") && $0.dropFirst(2).prefix(4) < "8080" }
    }
}
