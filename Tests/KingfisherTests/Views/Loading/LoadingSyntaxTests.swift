import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// Every form of a load that programs use compiles without type annotations.
///
/// All but one have no source, so they complete synchronously without a cache.
/// `ImageViewLoadingOverloadTests` loads images.
@Suite @MainActor struct LoadingSyntaxTests {
    let done = Inbox<ImageViewLoadingRig.Outcome>()
    let url: URL? = nil
    let source: Source? = nil
    let resource: (any Resource)? = nil
    let provider: (any ImageDataProvider)? = nil
    let imageResource: KF.ImageResource? = nil
    let placeholder: Image? = nil

    private func expect(_ count: Int) {
        #expect(done.values.map(reason) == Array(repeating: "emptySource", count: count))
    }

    @Test("All forms for an image view compile") func imageView() {
        let view = ImageView()
        view.kf.setImage(with: nil as URL?)
        view.kf.setImage(with: url, placeholder: placeholder)
        view.kf.setImage(with: url) { _ in }
        view.kf.setImage(with: url) { result in done.put(result) }
        view.kf.setImage(with: url, options: [.forceRefresh, .transition(.fade(0.2))]) { done.put($0) }
        view.kf.setImage(with: url, placeholder: placeholder) { done.put($0) }
        view.kf.setImage(with: url, completionHandler: { done.put($0) })
        view.kf.setImage(with: url, progressBlock: { _, _ in }, completionHandler: { done.put($0) })
        view.kf.setImage(with: url, placeholder: placeholder, options: nil, progressBlock: nil) {
            done.put($0)
        }
        view.kf.setImage(with: imageResource) { done.put($0) }
        view.kf.setImage(with: resource, placeholder: nil, options: nil) { done.put($0) }
        view.kf.setImage(with: source) { done.put($0) }
        view.kf.setImage(with: source) { received, total in
            _ = received + total
        } completionHandler: {
            done.put($0)
        }
        view.kf.setImage(with: provider) { done.put($0) }
        let task = view.kf.setImage(with: source)
        #expect(task == nil)
        expect(11)
    }

    /// These have a source that no cache contains, and make no request.
    @Test("Forms with implicit sources compile") func imageViewWithImplicitSources() async throws {
        let (view, bench) = (ImageView(), try Bench())
        let file = Fixtures.url(named: "PNG/rgba8.png")
        let options: KingfisherOptionsInfo = [
            .targetCache(bench.cache), .downloader(bench.downloader), .onlyFromCache,
        ]
        view.kf.setImage(with: .network(file), options: options) { done.put($0) }
        view.kf.setImage(with: .provider(LocalFileImageDataProvider(fileURL: file)), options: options) {
            done.put($0)
        }
        view.kf.setImage(with: Source.network(file), options: options) { done.put($0) }
        view.kf.setImage(with: file.convertToSource(), options: options) { done.put($0) }
        #expect(view.kf.taskIdentifier != nil)
        let reasons = try await done.first(4).map(reason)
        #expect(reasons.count { $0 == "notCurrentSourceTask" } == 3)
        #expect(reasons.contains("imageNotExisting") && view.kf.taskIdentifier == nil)
    }

    @Test("All forms for a button compile") func button() {
        let button = Button()
        button.kf.setImage(with: url, for: .normal)
        button.kf.setImage(with: url, for: .normal) { done.put($0) }
        button.kf.setImage(with: url, for: [.selected, .highlighted], placeholder: placeholder) {
            done.put($0)
        }
        button.kf.setImage(with: imageResource, for: .normal, options: [.forceRefresh]) { done.put($0) }
        button.kf.setImage(with: source, for: .selected, progressBlock: { _, _ in }) { done.put($0) }
        button.kf.setBackgroundImage(with: url, for: .normal) { done.put($0) }
        button.kf.setBackgroundImage(with: source, for: .disabled, placeholder: placeholder) { done.put($0) }
        button.kf.setImage(with: url) { done.put($0) }
        button.kf.setImage(with: source, placeholder: placeholder, options: nil) { done.put($0) }
        button.kf.setAlternateImage(with: url) { done.put($0) }
        button.kf.setAlternateImage(with: source, progressBlock: { _, _ in }) { done.put($0) }
        let identifiers = [
            button.kf.taskIdentifier, button.kf.taskIdentifier(for: .normal),
            button.kf.alternateTaskIdentifier, button.kf.backgroundTaskIdentifier(for: .normal),
        ]
        #expect(identifiers == [nil, nil, nil, nil])
        let identifier = button.kf.taskIdentifier
        #expect(identifier == nil)
        expect(10)
    }

    @Test("All forms for a text attachment compile") func attachment() {
        let (attachment, label) = (TextAttachment(), View())
        attachment.kf.setImage(with: url, attributedView: label)
        attachment.kf.setImage(with: url, attributedView: label, placeholder: placeholder) { done.put($0) }
        attachment.kf.setImage(with: source, attributedView: label, options: [.forceRefresh]) { done.put($0) }
        attachment.kf.setImage(
            with: imageResource, attributedView: label, progressBlock: { _, _ in },
            completionHandler: { done.put($0) })
        attachment.kf.cancelDownloadTask()
        #expect(attachment.kf.taskIdentifier == nil)
        expect(3)
    }

    @Test("All forms for a type with an image compile") func imageComponents() {
        let badge = Badge()
        badge.kf.setImage(with: url)
        badge.kf.setImage(with: url) { done.put($0) }
        badge.kf.setImage(with: imageResource, placeholder: placeholder) { done.put($0) }
        badge.kf.setImage(with: source, options: [.forceRefresh]) { done.put($0) }
        badge.kf.setImage(with: provider) { done.put($0) }
        badge.kf.setImage(with: source, progressBlock: { _, _ in }) { done.put($0) }
        badge.kf.setImage(with: url, progressBlock: { _, _ in }) { done.put($0) }
        badge.kf.setImage(with: provider, progressBlock: { _, _ in }) { done.put($0) }
        expect(7)
    }

    /// Custom classes with different isolation and superclasses.
    class Plain { var image: Image? }
    private class Avatar: View, KingfisherHasImageComponent { var image: Image? }
    private class Portrait: ImageView {}

    @Test("Custom classes can load images") func customClasses() {
        Plain().kf.setImage(with: url, placeholder: placeholder) { done.put($0) }
        Avatar().kf.setImage(with: url, placeholder: placeholder) { done.put($0) }
        Portrait().kf.setImage(with: url, placeholder: placeholder) { done.put($0) }
        #expect(Plain().kf.taskIdentifier == nil && Avatar().kf.taskIdentifier == nil)
        expect(3)
    }
}

extension LoadingSyntaxTests.Plain: KingfisherHasImageComponent {}
