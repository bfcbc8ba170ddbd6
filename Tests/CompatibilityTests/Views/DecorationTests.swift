import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

/// A view shown while the image loads.
private final class PlaceholderView: KFCrossPlatformView, Placeholder {}

/// A placeholder that is not a view.
private final class RecordingPlaceholder: Placeholder {
    private(set) var text = ""

    func add(to imageView: KFCrossPlatformImageView) {
        text += "added"
    }

    func remove(from imageView: KFCrossPlatformImageView) {
        text += " removed"
    }
}

/// A custom indicator.
private struct DotsIndicator: Indicator {
    let view = IndicatorView()
    let events = Shared<[String]>([])

    func startAnimatingView() {
        view.isHidden = false
        events.change { $0.append("start") }
    }

    func stopAnimatingView() {
        view.isHidden = true
        events.change { $0.append("stop") }
    }

    var centerOffset: CGPoint { CGPoint(x: 4, y: 8) }

    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        .size(CGSize(width: 30, height: 10))
    }
}

/// Placeholders, indicators and transitions.
@Suite(.timeLimit(.minutes(1))) @MainActor struct DecorationTests {
    let box: Sandbox
    let imageView = ImageView()

    init() throws {
        box = try Sandbox()
    }

    private func load(
        _ path: String = "PNG/rgb8.png", placeholder: (any Placeholder)? = nil,
        options: KingfisherOptionsInfo = [], during check: () -> Void = {}
    ) async -> Outcome {
        await answer { done in
            imageView.kf.setImage(
                with: box.url(path), placeholder: placeholder, options: box.options + options,
                completionHandler: done)
            check()
        }
    }

    @Test("A placeholder view is shown while the image loads")
    func placeholderView() async throws {
        let placeholder = PlaceholderView()
        let outcome = await load(placeholder: placeholder) {
            #expect(placeholder.superview === imageView && imageView.image == nil)
            #expect(imageView.kf.placeholder is PlaceholderView)
        }
        #expect(try outcome.get().image === imageView.image)
        #expect(placeholder.superview == nil && imageView.kf.placeholder == nil)
    }

    @Test("A placeholder of any type is added and removed")
    func placeholderObject() async throws {
        let placeholder = RecordingPlaceholder()
        let outcome = await load(placeholder: placeholder) { #expect(placeholder.text == "added") }
        #expect(try outcome.get().cacheType == .none && placeholder.text == "added removed")
    }

    @Test("A placeholder stays after a failure")
    func placeholderStays() async throws {
        let placeholder = PlaceholderView()
        let outcome = await load("missing.png", placeholder: placeholder)
        #expect(throws: KingfisherError.self) { try outcome.get() }
        #expect(placeholder.superview === imageView)
    }

    @Test("An activity or image indicator is shown while the image loads")
    func indicators() async throws {
        for type in [IndicatorType.activity, .image(imageData: try Fixtures.data(named: "Photos/cat.gif"))] {
            imageView.kf.indicatorType = type
            let view = try #require(imageView.kf.indicator?.view)
            #expect(view.isHidden && view.isDescendant(of: imageView))
            _ = await load(options: [.forceRefresh]) { #expect(!view.isHidden) }
            #expect(view.isHidden)
        }
        imageView.kf.indicatorType = .none
        #expect(imageView.kf.indicator == nil && imageView.subviews.isEmpty)
    }

    @Test("A custom indicator has its own size and position")
    func ownIndicator() async throws {
        let dots = DotsIndicator()
        imageView.kf.indicatorType = .custom(indicator: dots)
        #expect(imageView.kf.indicator?.centerOffset == CGPoint(x: 4, y: 8))
        if case .size(let size)? = imageView.kf.indicator?.sizeStrategy(in: imageView) {
            #expect(size.width == 30)
        } else {
            Issue.record("expected a size")
        }
        _ = await load { #expect(dots.events.value.last == "start" && !dots.view.isHidden) }
        #expect(dots.events.value.last == "stop" && dots.view.isHidden)
    }

    @Test(
        "A fade or a flip shows the image",
        arguments: [
            ImageTransition.none, .fade(0.05), .flipFromLeft(0.05), .flipFromRight(0.05),
            .flipFromTop(0.05), .flipFromBottom(0.05),
        ])
    func transitions(kind: ImageTransition) async throws {
        let outcome = await load(options: [.transition(kind)])
        #expect(try outcome.get().image === imageView.image)
        // Cached images get a transition only if it is forced; the load completes in both cases.
        let again = await load(options: [.transition(kind), .forceTransition])
        #expect(try again.get().cacheType == .memory && imageView.image === (try again.get().image))
    }

    @Test("A custom transition shows the image")
    func ownTransition() async throws {
        let events = Shared<[String]>([])
        let transition = ImageTransition.custom(
            duration: 0.05, options: [.curveEaseIn, .allowUserInteraction],
            animations: { view, image in
                view.image = image
                events.change { $0.append("animations \(Int(image.size.width))") }
            },
            completion: { finished in events.change { $0.append("completion \(finished)") } })
        let outcome = await load(options: [.transition(transition)])
        #expect(try outcome.get().image === imageView.image)
        #expect(await poll { events.value == ["animations 33", "completion true"] })
        _ = await load(options: [.transition(transition)])
        #expect(events.value.count == 2)
        _ = await load(options: [.transition(transition), .forceTransition])
        #expect(await poll { events.value.count == 4 })
    }
}
