import Foundation
import Testing
import TestHelpers

@testable import KingfisherImage

@Suite struct SizeTests {
    private func size(_ width: Double, _ height: Double) -> CGSize { CGSize(width: width, height: height) }

    @Test("Aspect fit gives a size inside the target, rounded to whole points", .behaviours("I-6"))
    func aspectFitStaysInside() {
        #expect(size(100, 100).kf.constrained(size(100, 50)) == size(50, 50))
        #expect(size(200, 100).kf.constrained(size(100, 100)) == size(100, 50))
        #expect(size(100, 200).kf.constrained(size(100, 100)) == size(50, 100))
        #expect(size(3, 7).kf.constrained(size(100, 100)) == size(43, 100))
        #expect(size(300, 7).kf.constrained(size(100, 100)) == size(100, 2))
    }

    @Test("Pixels are fitted into any size; a negative one gives one pixel a side, no number gives all")
    func pixelsFitAnySize() {
        let pixels = PixelSize(width: 10, height: 5)
        #expect(pixels.fitted(within: size(4, 100)) == PixelSize(width: 4, height: 2))
        #expect(pixels.fitted(within: size(100, 100)) == pixels)
        #expect(pixels.fitted(within: size(-1e300, 5)) == PixelSize(width: 1, height: 1))
        #expect(pixels.fitted(within: size(.nan, 5)) == pixels)
    }

    @Test("Aspect fill covers the target", .behaviours("I-6"))
    func aspectFillCovers() {
        #expect(size(100, 100).kf.filling(size(100, 50)) == size(100, 100))
        #expect(size(200, 100).kf.filling(size(100, 100)) == size(200, 100))
        #expect(size(100, 200).kf.filling(size(100, 100)) == size(100, 200))
        #expect(size(3, 7).kf.filling(size(100, 100)) == size(100, 233))
    }

    @Test("A height of 0 means a ratio of 1", .behaviours("I-6"))
    func noHeightMeansASquare() {
        #expect(size(100, 0).kf.constrained(size(100, 50)) == size(50, 50))
        #expect(size(100, 0).kf.filling(size(100, 50)) == size(100, 100))
    }

    @Test func theModeSelectsTheFunction() {
        #expect(size(100, 100).kf.resize(to: size(30, 20), for: .none) == size(30, 20))
        #expect(size(100, 100).kf.resize(to: size(30, 20), for: .aspectFit) == size(20, 20))
        #expect(size(100, 100).kf.resize(to: size(30, 20), for: .aspectFill) == size(30, 30))
    }

    /// Behaviour I-7, for a base of 100 x 100: eight anchors for a smaller, a wider and a larger rectangle.
    static let rects: [(CGPoint, CGSize, CGRect)] = {
        let anchors: [(Double, Double)] = [
            (0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5), (0.25, 0.75), (-1, 2), (2, -1),
        ]
        let small: [(Double, Double)] = [
            (0, 0), (70, 0), (0, 80), (70, 80), (35, 40), (17.5, 60), (0, 80), (70, 0),
        ]
        let wide = [0.0, 0, 60, 60, 30, 45, 60, 0]
        return anchors.indices.flatMap { index -> [(CGPoint, CGSize, CGRect)] in
            let anchor = CGPoint(x: anchors[index].0, y: anchors[index].1)
            return [
                (
                    anchor, CGSize(width: 30, height: 20),
                    CGRect(x: small[index].0, y: small[index].1, width: 30, height: 20)
                ),
                (
                    anchor, CGSize(width: 150, height: 40),
                    CGRect(x: 0, y: wide[index], width: 100, height: 40)
                ),
                (
                    anchor, CGSize(width: 300, height: 200), CGRect(x: 0, y: 0, width: 100, height: 100)
                ),
            ]
        }
    }()

    @Test("The rectangle is anchored inside the base", .behaviours("I-7"), arguments: rects)
    func rectIsAnchoredInsideTheBase(anchor: CGPoint, size: CGSize, expected: CGRect) {
        #expect(Self.rects.count == 24)
        #expect(CGSize(width: 100, height: 100).kf.constrainedRect(for: size, anchor: anchor) == expected)
    }
}
