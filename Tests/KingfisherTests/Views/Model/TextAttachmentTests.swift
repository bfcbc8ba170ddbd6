import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite @MainActor struct TextAttachmentTests {
    let attachment = TextAttachment()

    private final class Observer: TextAttachmentObserver {
        private(set) var changes: [ViewChange] = []

        func textAttachment(_ attachment: TextAttachment, didChange change: ViewChange) {
            changes.append(change)
        }
    }

    @Test("The layout has the size of the image unless bounds are set") func layoutBounds() throws {
        #expect(attachment.layoutBounds == .zero)
        attachment.image = try .blank(width: 6, height: 4)
        #expect(attachment.layoutBounds == CGRect(x: 0, y: 0, width: 6, height: 4))
        attachment.bounds.origin.y = -2
        #expect(attachment.layoutBounds == CGRect(x: 0, y: -2, width: 6, height: 4))
        attachment.bounds.size = CGSize(width: 20, height: 10)
        #expect(attachment.layoutBounds == CGRect(x: 0, y: -2, width: 20, height: 10))
    }

    @Test("Each observer receives each change once") func changes() throws {
        let (first, second) = (Observer(), Observer())
        for observer in [first, second, first] { attachment.addObserver(observer) }
        let image = try Image.blank()
        attachment.image = image
        attachment.image = image
        attachment.image = try .blank()
        #expect(first.changes == [.size, .content] && second.changes == first.changes)
        attachment.removeObserver(second)
        attachment.bounds = CGRect(x: 0, y: 0, width: 5, height: 5)
        attachment.image = try .blank(width: 30)
        #expect(first.changes == [.size, .content, .size, .content] && second.changes.count == 2)
    }

    @Test("Observers are not retained") func unretainedObservers() throws {
        weak var weakReference: Observer?
        do {
            let observer = Observer()
            weakReference = observer
            attachment.addObserver(observer)
        }
        #expect(weakReference == nil)
        attachment.image = try .blank()
    }

    @Test(
        "When the image is loaded, the view of the text is requested on the main queue and redrawn")
    func attributedView() async throws {
        let (view, renderer, asked) = (View(), RecordingRenderer(), Inbox<Bool>())
        view.renderer = renderer
        func attributedView() -> View {
            asked.put(MainQueue.isCurrent)
            return view
        }
        let (bench, done) = (try Bench(), Inbox<ImageViewLoadingRig.Outcome>())
        bench.stub.hold()
        attachment.kf.setImage(
            with: bench.url, attributedView: attributedView(), placeholder: try .blank(),
            options: [.downloader(bench.downloader), .targetCache(bench.cache)]
        ) { done.put($0) }
        #expect(asked.count == 0 && renderer.takeChanges().isEmpty)
        bench.stub.release()
        let image = try await done.first().get().image
        #expect(asked.values == [true] && renderer.takeChanges() == [.content])
        #expect(attachment.image === image)
    }

    @Test(
        "A failure redraws the view only if it has a failure image", arguments: [false, true])
    func failure(hasFailureImage: Bool) async throws {
        let (view, renderer) = (View(), RecordingRenderer())
        view.renderer = renderer
        let (bench, done) = (try Bench(serving: TestImages.garbage), Inbox<ImageViewLoadingRig.Outcome>())
        attachment.kf.setImage(
            with: bench.url, attributedView: view,
            options: [.downloader(bench.downloader), .targetCache(bench.cache)]
                + (hasFailureImage ? [.onFailureImage(try .blank())] : [])
        ) { done.put($0) }
        #expect(try await reason(done.first()) != nil)
        #expect(renderer.takeChanges() == (hasFailureImage ? [.content] : []))
    }
}
