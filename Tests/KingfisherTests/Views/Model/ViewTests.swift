import Foundation
import Kingfisher
import Testing

@Suite @MainActor struct ViewTests {
    let view = View()
    let renderer = RecordingRenderer()

    init() { view.renderer = renderer }

    @Test("Subviews are in the order in which they were added") func subviewOrder() {
        let (first, second) = (View(), View())
        view.addSubview(first)
        view.addSubview(second)
        #expect(view.subviews.map(ObjectIdentifier.init) == [first, second].map(ObjectIdentifier.init))
        view.addSubview(first)
        #expect(view.subviews.map(ObjectIdentifier.init) == [second, first].map(ObjectIdentifier.init))
        #expect(first.superview === view)
    }

    @Test("Moving a subview to the front reports one change") func reorderedSubview() {
        let (first, second) = (View(), View())
        view.addSubview(first)
        view.addSubview(second)
        _ = renderer.takeChanges()
        view.addSubview(first)
        #expect(renderer.takeChanges() == [.subviews] && view.subviews.last === first)
        view.insertSubview(first, at: 0)
        #expect(view.subviews.first === first && view.subviews.count == 2)
    }

    @Test("A subview has one superview") func subviewHasOneSuperview() {
        let (other, subview) = (View(), View())
        other.addSubview(subview)
        view.addSubview(subview)
        #expect(other.subviews.isEmpty && subview.superview === view)
        subview.removeFromSuperview()
        #expect(view.subviews.isEmpty && subview.superview == nil)
        subview.removeFromSuperview()
        #expect(renderer.takeChanges() == [.subviews, .subviews])
    }

    @Test("A view cannot become its own descendant") func cycles() {
        let subview = View()
        view.addSubview(subview)
        subview.addSubview(view)
        view.addSubview(view)
        #expect(view.superview == nil && subview.subviews.isEmpty)
    }

    @Test("A superview is not retained") func unretainedSuperview() {
        let subview = View()
        do {
            let parent = View()
            parent.addSubview(subview)
        }
        #expect(subview.superview == nil)
    }

    @Test("Only changed properties are reported") func changes() {
        view.alpha = 1
        view.isHidden = false
        #expect(renderer.takeChanges().isEmpty)
        view.alpha = 0.5
        view.isHidden = true
        #expect(renderer.takeChanges() == [.appearance, .appearance])
    }

    @Test("A changed placement is reported to the superview") func placement() {
        let subview = View()
        view.addSubview(subview)
        _ = renderer.takeChanges()
        subview.placement = .center(offset: CGPoint(x: 1, y: 2))
        #expect(renderer.takeChanges() == [.subviews])
    }
}
