import Foundation
import Kingfisher
import KingfisherImage
import Testing

@Suite("Zoom: viewport") struct ZoomViewportTests {
    private func viewport(
        _ width: Int, _ height: Int, in view: CGSize = CGSize(width: 1000, height: 800)
    ) -> ZoomViewport {
        ZoomViewport(imageSize: PixelSize(width: width, height: height), viewSize: view)
    }

    private func isClose(_ one: CGPoint, _ other: CGPoint) -> Bool {
        abs(one.x - other.x) < 1e-6 && abs(one.y - other.y) < 1e-6
    }

    @Test(
        "A new viewport shows all of the image, centred, and not larger than 1:1",
        arguments: [
            (4000, 1000, 0.25, CGPoint(x: 0, y: 275)), (2000, 3200, 0.25, CGPoint(x: 250, y: 0)),
            (100, 50, 1, CGPoint(x: 450, y: 375)), (1, 1, 1, CGPoint(x: 499.5, y: 399.5)),
            (30_000, 20_000, 1000.0 / 30_000, CGPoint(x: 0, y: 400 - 1000.0 / 3)),
        ] as [(Int, Int, Double, CGPoint)])
    func fit(width: Int, height: Int, zoom: Double, origin: CGPoint) {
        let viewport = viewport(width, height)
        #expect(viewport.zoom == zoom && viewport.isFitted)
        #expect(isClose(viewport.imageOrigin, origin))
        #expect(viewport.scrollableSize == .zero)
    }

    @Test(
        "The image point under the anchor stays there",
        arguments: [0.3, 0.5, 1, 3.7, 20], [CGPoint(x: 10, y: 300), CGPoint(x: 990, y: 480)])
    func anchor(zoom: Double, anchor: CGPoint) {
        var viewport = viewport(4000, 2000)
        viewport.setZoom(2)
        let point = viewport.imagePoint(at: anchor)
        viewport.setZoom(zoom * 2, at: anchor)
        #expect(viewport.zoom == min(zoom * 2, 20) && !viewport.isFitted)
        #expect(isClose(viewport.imagePoint(at: anchor), point))
    }

    @Test(
        "Zoom stays between the fitting one and 20, and ignores numbers that are none",
        arguments: [
            (0, 0.25), (-1, 0.25), (0.2, 0.25), (0.25, 0.25), (19, 19), (21, 20), (.infinity, 1), (.nan, 1),
        ])
    func limits(wanted: Double, zoom: Double) {
        var viewport = viewport(4000, 2000)
        viewport.setZoom(1)
        viewport.setZoom(wanted)
        #expect(viewport.zoom == zoom && viewport.isFitted == (zoom == 0.25))
    }

    @Test("An image that is smaller than the view in one direction scrolls in the other only")
    func oneDirection() {
        var viewport = viewport(4000, 100)
        viewport.setZoom(1)
        viewport.scroll(to: CGPoint(x: 5000, y: 50))
        #expect(viewport.offset == CGPoint(x: 3000, y: 0))
        #expect(viewport.imageOrigin == CGPoint(x: -3000, y: 350))
        viewport.scroll(to: CGPoint(x: -1, y: -1))
        #expect(viewport.offset == .zero)
    }

    @Test("Resizing keeps the whole image visible, or otherwise the point in the centre")
    func resize() {
        var viewport = viewport(4000, 4000)
        viewport.resize(to: CGSize(width: 400, height: 2000))
        #expect(viewport.zoom == 0.1 && viewport.isFitted)
        viewport.setZoom(1)
        viewport.scroll(to: CGPoint(x: 1000, y: 1000))
        viewport.resize(to: CGSize(width: 800, height: 1000))
        #expect(viewport.zoom == 1 && !viewport.isFitted)
        #expect(viewport.imagePoint(at: CGPoint(x: 400, y: 500)) == CGPoint(x: 1200, y: 2000))
        // Beyond the edge the point cannot stay.
        viewport.resize(to: CGSize(width: 3000, height: 1000))
        #expect(viewport.offset.x == 0)
    }

    @Test("A view that has grown beyond a zoomed image shows all of it")
    func growth() {
        var viewport = viewport(4000, 4000, in: CGSize(width: 1000, height: 1000))
        viewport.setZoom(0.5)
        viewport.resize(to: CGSize(width: 3000, height: 3000))
        #expect(viewport.zoom == 0.75 && viewport.isFitted)
    }

    @Test("Four steps double the zoom, and 1:1 is not passed")
    func steps() {
        var viewport = viewport(40_000, 40_000)
        viewport.setZoom(4)
        #expect(viewport.zoom(steppedBy: 4) == 8)
        #expect(viewport.zoom(steppedBy: -4) == 2)
        #expect(viewport.zoom(steppedBy: -9) == 1)
        viewport.setZoom(0.9)
        #expect(viewport.zoom(steppedBy: 1) == 1)
        viewport.setZoom(1)
        #expect(viewport.zoom(steppedBy: 4) == 2)
        #expect(viewport.zoom(steppedBy: -4) == 0.5)
    }

    @Test("A double click toggles between all of the image and 1:1")
    func toggle() {
        var viewport = viewport(4000, 3200)
        #expect(viewport.toggledZoom == 1)
        viewport.setZoom(viewport.toggledZoom)
        #expect(viewport.toggledZoom == 0.25)
        viewport.setZoom(3)
        #expect(viewport.toggledZoom == 0.25)
    }

    @Test("A pinch that moves carries the image along")
    func pinch() {
        var viewport = viewport(40_000, 40_000)
        viewport.setZoom(2)
        let point = viewport.imagePoint(at: CGPoint(x: 300, y: 300))
        viewport.setZoom(4, showing: point, at: CGPoint(x: 500, y: 350))
        #expect(viewport.imagePoint(at: CGPoint(x: 500, y: 350)) == point)
    }

    @Test("A view without a size has a zoom of 1 until it gets one")
    func emptyView() {
        var viewport = viewport(4000, 4000, in: .zero)
        #expect(viewport.zoom == 1 && viewport.isFitted)
        #expect(viewport.visibleTiles(ofLevel: 0).count <= 1)
        viewport.resize(to: CGSize(width: 1000, height: 1000))
        #expect(viewport.zoom == 0.25 && viewport.isFitted)
    }
}
