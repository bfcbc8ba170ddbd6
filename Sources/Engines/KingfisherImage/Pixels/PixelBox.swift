/// Sides in pixels that an image is scaled to, with the same aspect ratio. A side of 0 sets no limit.
package struct PixelBox: Hashable, Sendable {
    /// The sides of the box that an image must reach.
    package enum Fit: String, Sendable {
        /// One, so that the whole image is inside the box.
        case inside = "aspectFit"
        /// Both, so that the image covers the box.
        case covering = "aspectFill"
    }

    package let size: PixelSize
    package let fit: Fit

    package init(_ size: PixelSize, _ fit: Fit) { (self.size, self.fit) = (size, fit) }

    /// What the sides of an image are multiplied with; above 1 for an image that is smaller than the box.
    package func ratio(for full: PixelSize) -> Double {
        let across = Double(size.width) / Double(full.width)
        let down = Double(size.height) / Double(full.height)
        return switch fit {
        case .covering: max(across, down)
        case .inside: min(across > 0 ? across : down, down > 0 ? down : across)
        }
    }

    /// The size to which an image of `full` pixels is scaled, rounded, at least one pixel on each side.
    package func scaledSize(of full: PixelSize) -> PixelSize {
        let ratio = ratio(for: full)
        func side(_ length: Int) -> Int {
            Int(min(max((Double(length) * ratio).rounded(), 1), Double(Int32.max)))
        }
        return PixelSize(width: side(full.width), height: side(full.height))
    }

    /// Like `scaledSize(of:)`; nil if the image is not larger than the box.
    package func shrunkSize(of full: PixelSize) -> PixelSize? {
        ratio(for: full) < 1 ? scaledSize(of: full) : nil
    }
}
