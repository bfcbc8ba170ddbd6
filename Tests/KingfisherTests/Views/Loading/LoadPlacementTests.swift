import Foundation
import Testing

@testable import Kingfisher

@Suite struct LoadPlacementTests {
    private func placement(
        distance: CGFloat?, crossingTime: TimeInterval = .infinity, isVisible: Bool = true
    ) -> LoadPlacement {
        LoadPlacement(
            display: ViewDisplay(size: CGSize(width: 8, height: 8), scaleFactor: 1, isVisible: isVisible),
            place: distance.map { ScrollPlace(distance: $0, crossingTime: crossingTime) })
    }

    @Test("A view is seen if it is on screen and not scrolled out of sight")
    func seen() {
        #expect(placement(distance: nil).isSeen && placement(distance: 0).isSeen)
        #expect(!placement(distance: 1).isSeen && placement(distance: 1).isOutside)
        #expect(!placement(distance: nil, isVisible: false).isSeen)
        #expect(!placement(distance: nil, isVisible: false).isOutside)
    }

    @Test("A view passes if it crosses the screen in less than 0.6 s")
    func passing() {
        #expect(placement(distance: 0, crossingTime: 0.59).isPassing)
        #expect(!placement(distance: 0, crossingTime: 0.6).isPassing)
        #expect(!placement(distance: nil).isPassing)
    }

    @Test("The priority is that of the options while the view is seen, and falls with distance otherwise")
    func priorities() throws {
        #expect(placement(distance: 0).priority(0.8, wasSeen: true) == nil)
        let near = try #require(placement(distance: 0.1).priority(0.8, wasSeen: false))
        let far = try #require(placement(distance: 5_000).priority(0.8, wasSeen: false))
        #expect(near < 0.401 && near > 0.39 && far > 0 && far < near)
        #expect(placement(distance: nil, isVisible: false).priority(0.8, wasSeen: true) == 0)
        #expect(placement(distance: 500).priority(-1, wasSeen: true) == -1)
    }

    @Test("A view that has not been on screen yet and is in no scrolled area keeps its priority")
    func loadedAhead() {
        #expect(placement(distance: nil, isVisible: false).priority(0.8, wasSeen: false) == nil)
    }

    @Test("Of nested areas the larger distance and the shorter time count")
    func nested() {
        let inner = ScrollPlace(distance: 20, crossingTime: 3)
        let outer = ScrollPlace(distance: 5, crossingTime: 0.2)
        #expect(inner.nested(in: outer) == ScrollPlace(distance: 20, crossingTime: 0.2))
    }
}
