import Foundation

/// A decomposed affine transform: scale and shear, then rotation, then translation.
///
/// Transforms are interpolated part by part, as in Core Animation and CSS. Interpolating the coefficients
/// would shrink a view to a point in the middle of a half rotation.
/// https://www.w3.org/TR/css-transforms-1/#matrix-interpolation
package struct TransformParts: Hashable, Sendable {
    package var scaleX: Double
    /// The horizontal shift per unit of y.
    package var shear: Double
    package var scaleY: Double
    /// Radians, clockwise on a screen whose y axis points down.
    package var angle: Double
    package var translation: CGPoint

    package init(_ map: CGAffineTransform) {
        translation = CGPoint(x: map.tx, y: map.ty)
        let length = hypot(map.a, map.b)
        guard length > 0 else {
            // The x axis is scaled to zero; the y axis determines the angle.
            (scaleX, shear, scaleY) = (0, 0, hypot(map.c, map.d))
            angle = atan2(-map.c, map.d)
            return
        }
        // A reflection is assigned to the axis that is more reversed, to avoid an additional rotation.
        let isMirroredInX = map.a * map.d < map.b * map.c && map.a < map.d
        scaleX = isMirroredInX ? -length : length
        let (cosine, sine) = (map.a / scaleX, map.b / scaleX)
        angle = atan2(sine, cosine)
        shear = map.c * cosine + map.d * sine
        scaleY = map.d * cosine - map.c * sine
    }

    package var map: CGAffineTransform {
        let (sine, cosine) = (sin(angle), cos(angle))
        return CGAffineTransform(
            a: scaleX * cosine, b: scaleX * sine,
            c: shear * cosine - scaleY * sine, d: shear * sine + scaleY * cosine,
            tx: translation.x, ty: translation.y)
    }

    /// Interpolates each part, the angle by the shorter way.
    func interpolated(to other: TransformParts, at progress: Double) -> TransformParts {
        // A reflection in x and one in y differ by a half rotation.
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
    func interpolated(to other: CGAffineTransform, at progress: Double) -> CGAffineTransform {
        switch progress {
        case ...0: self
        case 1...: other
        default: TransformParts(self).interpolated(to: TransformParts(other), at: progress).map
        }
    }
}
