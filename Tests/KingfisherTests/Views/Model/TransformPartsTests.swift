import Foundation
import Kingfisher
import Testing

@Suite struct TransformPartsTests {
    @Test(
        "The parts of a transform compose it again",
        arguments: [
            CGAffineTransform.identity,
            CGAffineTransform(translationX: 3, y: -4).rotated(by: 2).scaledBy(x: 0.5, y: 3),
            CGAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6),
            CGAffineTransform(scaleX: -1, y: 1), CGAffineTransform(scaleX: 1, y: -2),
            CGAffineTransform(rotationAngle: 1).scaledBy(x: -2, y: 1),
            CGAffineTransform(a: 0, b: 0, c: 0, d: 0, tx: 1, ty: 2),
            CGAffineTransform(a: 0, b: 0, c: -3, d: 4, tx: 0, ty: 0),
            CGAffineTransform(a: 3, b: 4, c: 0, d: 0, tx: 0, ty: 0),
            CGAffineTransform(a: 3, b: 4, c: 6, d: 8, tx: 0, ty: 0),
        ])
    func roundTrip(_ map: CGAffineTransform) {
        #expect(TransformParts(map).map.isClose(to: map))
    }

    @Test("The parts have the values of which the transform was made") func values() {
        let parts = TransformParts(
            CGAffineTransform(translationX: 5, y: 6).rotated(by: 0.5).scaledBy(x: 2, y: 3))
        #expect(abs(parts.scaleX - 2) < 1e-12 && abs(parts.scaleY - 3) < 1e-12 && abs(parts.shear) < 1e-12)
        #expect(abs(parts.angle - 0.5) < 1e-12 && parts.translation == CGPoint(x: 5, y: 6))
    }

    @Test("A mirrored transform is a reflection, not a rotation", arguments: [(-1.0, 1.0), (1, -1)])
    func mirrored(_ x: Double, _ y: Double) {
        let parts = TransformParts(CGAffineTransform(scaleX: x, y: y))
        #expect(parts.scaleX == x && parts.scaleY == y && parts.angle == 0)
    }
}

extension CGAffineTransform {
    /// Equal except for rounding.
    func isClose(to other: CGAffineTransform) -> Bool {
        zip([a, b, c, d, tx, ty], [other.a, other.b, other.c, other.d, other.tx, other.ty])
            .allSatisfy { abs($0 - $1) < 1e-9 }
    }
}
