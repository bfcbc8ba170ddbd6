import Foundation
import KingfisherImage
import Testing

@testable import Kingfisher

@Suite struct AnimationScaleTests {
    private func scale(
        of size: CGSize, _ mode: ViewContentMode, in bounds: CGSize, scale: CGFloat = 1, factor: CGFloat = 1
    ) -> FrameScale? {
        FrameScale(
            of: size, scale: scale, contentMode: mode,
            on: ViewDisplay(size: bounds, scaleFactor: factor, isVisible: true))
    }

    /// An image of 400 x 200 points in a square view.
    @Test(
        "Frames are scaled down to the view and its scale factor",
        arguments: [
            (100, .scaleAspectFit, 1, 1, 0.25), (100, .scaleAspectFill, 1, 1, 0.5),
            (100, .scaleToFill, 1, 1, 0.5), (100, .center, 1, 1, 1), (100, .scaleAspectFit, 1, 2, 0.5),
            (100, .scaleAspectFit, 2, 1, 0.125), (100, .topLeft, 2, 1, 0.5), (1000, .scaleAspectFit, 1, 1, 1),
            (1000, .scaleAspectFit, 4, 1, 0.625),
        ] as [(CGFloat, ViewContentMode, CGFloat, CGFloat, Double)])
    func ratio(side: CGFloat, mode: ViewContentMode, scale: CGFloat, factor: CGFloat, ratio: Double) {
        let bounds = CGSize(width: side, height: side)
        let size = CGSize(width: 400, height: 200)
        #expect(self.scale(of: size, mode, in: bounds, scale: scale, factor: factor)?.ratio == ratio)
    }

    @Test("Without a size there is no scale") func withoutSize() {
        #expect(scale(of: CGSize(width: 4, height: 4), .scaleToFill, in: .zero) == nil)
        #expect(scale(of: .zero, .scaleToFill, in: CGSize(width: 4, height: 4)) == nil)
    }

    @Test("Pixels are rounded up, except for floating-point errors") func rounding() throws {
        let size = PixelSize(width: 160, height: 120)
        for side in stride(from: 1.0, through: 160, by: 1) {
            let bounds = CGSize(width: side, height: side)
            let fitted = scale(of: CGSize(width: 160, height: 120), .scaleAspectFit, in: bounds)
            let pixels = try #require(fitted).pixels(of: size)
            #expect(pixels.width == Int(side) && pixels.height == Int((side * 0.75).rounded(.up)))
        }
    }

    @Test("A smaller view keeps its frames, and a larger one gets more pixels") func sizeChanges() throws {
        let size = CGSize(width: 1000, height: 1000)
        func at(_ side: CGFloat, factor: CGFloat = 1) throws -> FrameScale {
            try #require(
                scale(of: size, .scaleToFill, in: CGSize(width: side, height: side), factor: factor))
        }
        let first = try FrameScale.full.changed(to: at(100))
        #expect(first.ratio == 0.1)
        #expect(try first.changed(to: at(50)) == first)
        var current = first
        var changes = 0
        for side in stride(from: 101.0, through: 400, by: 1) {
            let next = try current.changed(to: at(side))
            #expect(try next.ratio >= at(side).ratio && next.ratio < at(side).ratio * 1.2)
            changes += next == current ? 0 : 1
            current = next
        }
        #expect(changes <= 9)
        // Another scale factor means another screen.
        #expect(try first.changed(to: at(40, factor: 2)).ratio == 0.08)
    }
}
