import Foundation

/// An affine map taken apart: scaled and sheared first, then turned, then moved.
///
/// Maps are interpolated part by part, as Core Animation and CSS do it: number by number, a view on its way
/// through half a turn would shrink to a point. https://www.w3.org/TR/css-transforms-1/#matrix-interpolation
package struct TransformParts: Hashable, Sendable {
    package var scaleX: Double
    /// How far to the right a point goes for each point that it lies further down.
    package var shear: Double
    package var scaleY: Double
    /// Radians, clockwise on a screen whose y axis points down.
    package var angle: Double
    package var translation: CGPoint

    package init(_ map: CGAffineTransform) {
        translation = CGPoint(x: map.tx, y: map.ty)
        let length = hypot(map.a, map.b)
        guard length > 0 else {
            // Nothing is left of the x axis; the other one still shows the angle.
            (scaleX, shear, scaleY) = (0, 0, hypot(map.c, map.d))
            angle = atan2(-map.c, map.d)
            return
        }
        // A mirrored view is mirrored along the axis that has been reversed the more, not turned over as
        // well.
        let isMirroredInX = map.a * map.d < map.b * map.c && map.a < map.d
        scaleX = isMirroredInX ? -length : length
        let (cosine, sine) = (map.a / scaleX, map.b / scaleX)
        angle = atan2(sine, cosine)
        shear = map.c * cosine + map.d * sine
        scaleY = map.d * cosine - map.c * sine
    }

    /// The map that these are the parts of.
    package var map: CGAffineTransform {
        let (sine, cosine) = (sin(angle), cos(angle))
        return CGAffineTransform(
            a: scaleX * cosine, b: scaleX * sine,
            c: shear * cosine - scaleY * sine, d: shear * sine + scaleY * cosine,
            tx: translation.x, ty: translation.y)
    }

    /// Each part so far on the way to `other`, the angle the shorter way round.
    func interpolated(to other: TransformParts, at progress: Double) -> TransformParts {
        // One mirrored in x, the other in y: the same as mirrored alike and half a turn apart.
        var from = self
        if scaleX * other.scaleX < 0, scaleY * other.scaleY < 0 {
            (from.scaleX, from.shear, from.scaleY) = (-scaleX, -shear, -scaleY)
            from.angle += .pi
        }
        func between(_ from: Double, _ to: Double) -> Double { from + (to - from) * progress }
        var parts = other
        parts.scaleX = between(from.scaleX, other.scaleX)
        parts.shear = between(from.shear, other.shear)
        parts.scaleY = between(from.scaleY, other.scaleY)
        parts.angle = from.angle + (other.angle - from.angle).remainder(dividingBy: 2 * .pi) * progress
        parts.translation.x = between(from.translation.x, other.translation.x)
        parts.translation.y = between(from.translation.y, other.translation.y)
        return parts
    }
}

extension CGAffineTransform {
    /// The map so far on the way to `other`, part by part; 0 is here, 1 is there, both to the last digit.
    func interpolated(to other: CGAffineTransform, at progress: Double) -> CGAffineTransform {
        switch progress {
        case ...0: self
        case 1...: other
        default: TransformParts(self).interpolated(to: TransformParts(other), at: progress).map
        }
    }
}
