import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

/// A view that stands where an image will be.
private final class Skeleton: KFCrossPlatformView, Placeholder {}

/// A placeholder that is no view, and decides for itself what to do.
private final class Note: Placeholder {
    private(set) var text = ""

    func add(to imageView: KFCrossPlatformImageView) {
        text += "added"
    }

    func remove(from imageView: KFCrossPlatformImageView) {
        text += " removed"
    }
}

/// Three dots, of an app's own.
private struct Dots: Indicator {
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

    @Test("Shows a view of its own while an image loads")
    func placeholderView() async throws {
        let skeleton = Skeleton()
        let outcome = await load(placeholder: skeleton) {
            #expect(skeleton.superview === imageView && imageView.image == nil)
            #expect(imageView.kf.placeholder is Skeleton)
        }
        #expect(try outcome.get().image === imageView.image)
        #expect(skeleton.superview == nil && imageView.kf.placeholder == nil)
    }

    @Test("A placeholder of any kind is told when it is wanted")
    func placeholderObject() async throws {
        let note = Note()
        let outcome = await load(placeholder: note) { #expect(note.text == "added") }
        #expect(try outcome.get().cacheType == .none && note.text == "added removed")
    }

    @Test("A placeholder stays when there is no image")
    func placeholderStays() async throws {
        let skeleton = Skeleton()
        let outcome = await load("missing.png", placeholder: skeleton)
        #expect(throws: KingfisherError.self) { try outcome.get() }
        #expect(skeleton.superview === imageView)
    }

    @Test("Shows a spinner, or an animation of the app's, while an image loads")
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

    @Test("Shows an indicator of its own, of the size and place that it wants")
    func ownIndicator() async throws {
        let dots = Dots()
        imageView.kf.indicatorType = .custom(indicator: dots)
        #expect(imageView.kf.indicator?.centerOffset == CGPoint(x: 4, y: 8))
        if case .size(let size)? = imageView.kf.indicator?.sizeStrategy(in: imageView) {
            #expect(size.width == 30)
        } else {
            Issue.record("no size")
        }
        _ = await load { #expect(dots.events.value.last == "start" && !dots.view.isHidden) }
        #expect(dots.events.value.last == "stop" && dots.view.isHidden)
    }

    @Test(
        "Lets an image fade in or flip over",
        arguments: [
            ImageTransition.none, .fade(0.05), .flipFromLeft(0.05), .flipFromRight(0.05),
            .flipFromTop(0.05), .flipFromBottom(0.05),
        ])
    func transitions(kind: ImageTransition) async throws {
        let outcome = await load(options: [.transition(kind)])
        #expect(try outcome.get().image === imageView.image)
        // Only an image from the network gets a transition, unless it is forced; the load ends all the same.
        let again = await load(options: [.transition(kind), .forceTransition])
        #expect(try again.get().cacheType == .memory && imageView.image === (try again.get().image))
    }

    @Test("Lets an image appear in a way of its own")
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
        #expect(await settled { events.value == ["animations 33", "completion true"] })
        _ = await load(options: [.transition(transition)])
        #expect(events.value.count == 2)
        _ = await load(options: [.transition(transition), .forceTransition])
        #expect(await settled { events.value.count == 4 })
    }
}
