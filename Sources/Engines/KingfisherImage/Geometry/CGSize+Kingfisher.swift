public import Foundation

extension CGSize: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == CGSize {
    /// The size of this one fitted to `size` by `contentMode`; `.none` returns `size`.
    public func resize(to size: CGSize, for contentMode: ContentMode) -> CGSize {
        switch contentMode {
        case .none: size
        case .aspectFit: constrained(size)
        case .aspectFill: filling(size)
        }
    }

    /// The largest size with this one's aspect ratio inside `size`. The dependent side is a whole number.
    public func constrained(_ size: CGSize) -> CGSize {
        let width = (size.height * aspectRatio).rounded()
        return width > size.width ? widthOf(size) : CGSize(width: width, height: size.height)
    }

    /// The smallest size with this one's aspect ratio that covers `size`. The dependent side is a whole
    /// number.
    public func filling(_ size: CGSize) -> CGSize {
        let width = (size.height * aspectRatio).rounded()
        return width < size.width ? widthOf(size) : CGSize(width: width, height: size.height)
    }

    /// The part of this size that a rectangle of `size` covers when both are aligned at `anchor`.
    ///
    /// `anchor` is a fraction of each side, with (0, 0) at the top left, and is clamped to 0...1.
    public func constrainedRect(for size: CGSize, anchor: CGPoint) -> CGRect {
        let x = min(max(anchor.x, 0), 1) * (base.width - size.width)
        let y = min(max(anchor.y, 0), 1) * (base.height - size.height)
        // CGRect.intersection in Foundation for Linux traps on NaN.
        let (left, top) = (max(x, 0), max(y, 0))
        return CGRect(
            x: left, y: top, width: min(x + size.width, base.width) - left,
            height: min(y + size.height, base.height) - top)
    }

    private func widthOf(_ size: CGSize) -> CGSize {
        CGSize(width: size.width, height: (size.width / aspectRatio).rounded())
    }

    private var aspectRatio: CGFloat {
        base.height == 0 ? 1 : base.width / base.height
    }
}
