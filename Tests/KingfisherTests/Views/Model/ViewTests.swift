import Foundation
import Kingfisher
import Testing

@Suite @MainActor struct ViewTests {
    let view = View()
    let renderer = RecordingRenderer()

    init() { view.renderer = renderer }

    @Test func subviewsLieInTheOrderOfTheirAddition() {
        let (first, second) = (View(), View())
        view.addSubview(first)
        view.addSubview(second)
        #expect(view.subviews.map(ObjectIdentifier.init) == [first, second].map(ObjectIdentifier.init))
        view.addSubview(first)
        #expect(view.subviews.map(ObjectIdentifier.init) == [second, first].map(ObjectIdentifier.init))
        #expect(first.superview === view)
    }

    @Test func subviewThatComesToTheFrontIsNeverGone() {
        let (first, second) = (View(), View())
        view.addSubview(first)
        view.addSubview(second)
        _ = renderer.takeChanges()
        view.addSubview(first)
        #expect(renderer.takeChanges() == [.subviews] && view.subviews.last === first)
        view.insertSubview(first, at: 0)
        #expect(view.subviews.first === first && view.subviews.count == 2)
    }

    @Test func subviewHasOneSuperview() {
        let (other, subview) = (View(), View())
        other.addSubview(subview)
        view.addSubview(subview)
        #expect(other.subviews.isEmpty && subview.superview === view)
        subview.removeFromSuperview()
        #expect(view.subviews.isEmpty && subview.superview == nil)
        subview.removeFromSuperview()
        #expect(renderer.takeChanges() == [.subviews, .subviews])
    }

    @Test func viewsFormNoCircle() {
        let subview = View()
        view.addSubview(subview)
        subview.addSubview(view)
        view.addSubview(view)
        #expect(view.superview == nil && subview.subviews.isEmpty)
    }

    @Test func superviewIsNotKept() {
        let subview = View()
        do {
            let parent = View()
            parent.addSubview(subview)
        }
        #expect(subview.superview == nil)
    }

    @Test func onlyChangesAreReported() {
        view.alpha = 1
        view.isHidden = false
        #expect(renderer.takeChanges().isEmpty)
        view.alpha = 0.5
        view.isHidden = true
        #expect(renderer.takeChanges() == [.appearance, .appearance])
    }

    @Test func placementIsTheSuperviewsBusiness() {
        let subview = View()
        view.addSubview(subview)
        _ = renderer.takeChanges()
        subview.placement = .center(offset: CGPoint(x: 1, y: 2))
        #expect(renderer.takeChanges() == [.subviews])
    }
}
