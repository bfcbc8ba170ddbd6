import Foundation
import Kingfisher
import Testing

/// A control that notifies its owner with the library's `Delegate`.
private final class Slider: Sendable {
    let onChange = Delegate<Double, Void>()
    let onAsk = Delegate<Void, String?>()
    let onFetch = Delegate<Int, Int>()
}

private final class Screen: Sendable {
    let values = Shared<[Double]>([])
    let slider: Slider

    init(_ slider: Slider) {
        self.slider = slider
        slider.onChange.delegate(on: self) { screen, value in screen.values.change { $0.append(value) } }
        slider.onAsk.delegate(on: self) { screen, _ in "\(screen.values.value.count)" }
    }
}

@Suite(.timeLimit(.minutes(1))) struct UtilityTests {
    @Test("A delegate does not retain its owner")
    func delegates() async {
        let slider = Slider()
        #expect(slider.onAsk() == nil && !slider.onChange.isSet)
        var screen: Screen? = Screen(slider)
        slider.onChange(0.5)
        slider.onChange.call(0.75)
        #expect(screen?.values.value == [0.5, 0.75] && slider.onAsk.call() == "2" && slider.onChange.isSet)
        screen = nil
        slider.onChange(1)
        #expect(slider.onAsk() == nil)
    }

    @Test("An async delegate waits for its owner")
    func asyncDelegates() async {
        let slider = Slider()
        let owner = Screen(slider)
        slider.onFetch.delegate(on: owner) { _, number in
            await Task.yield()
            return number * 2
        }
        #expect(await slider.onFetch.callAsync(21) == 42)
        #expect(owner.slider === slider)
    }

    @Test("A callback queue runs a block on its queue")
    func queues() async {
        let order = Shared<[Int]>([])
        CallbackQueue.untouch.execute { order.change { $0.append(1) } }
        order.change { $0.append(2) }
        #expect(order.value == [1, 2])
        let marked = MarkedQueue()
        for (queue, mark) in [
            (CallbackQueue.mainAsync, MarkedQueue.main), (.mainCurrentOrAsync, .main),
            (.dispatch(marked.queue), marked),
        ] {
            let there: Bool = await answer { done in queue.execute { done(mark.isCurrent) } }
            #expect(there)
        }
    }

    @Test("Names of Apple's frameworks are aliases of the library's classes")
    @MainActor func aliases() throws {
        let color = KFCrossPlatformColor(red: 1, green: 0.5, blue: 0, alpha: 1)
        #expect(color == KFCrossPlatformColor(red: 1, green: 0.5, blue: 0, alpha: 1) && color != .clear)
        #expect(KFCrossPlatformColor(white: 1, alpha: 1) == .white)
        let (view, button) = (KFCrossPlatformImageView(), KFCrossPlatformButton())
        let parent: KFCrossPlatformView = KFCrossPlatformView()
        parent.addSubview(view)
        parent.addSubview(button)
        #expect(parent.subviews.count == 2 && view.superview === parent)
        let image: KFCrossPlatformImage = Image()
        #expect(image.size == .zero && image.scale == 1)
        let resource: any Resource = ImageResource(downloadURL: URL(fileURLWithPath: "/a.png"))
        #expect(resource is KF.ImageResource)
        let queue: ExecutionQueue = .untouch
        if case .untouch = queue {} else { Issue.record("\(queue)") }
    }

    @Test("Missing and undecodable files give no image")
    func files() throws {
        #expect(KFCrossPlatformImage(contentsOfFile: "/no/such/file.png") == nil)
        #expect(KFCrossPlatformImage(named: "no such image") == nil)
        #expect(KFCrossPlatformImage(data: Data("nothing".utf8)) == nil)
    }
}
