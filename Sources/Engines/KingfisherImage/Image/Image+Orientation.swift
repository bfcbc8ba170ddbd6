extension Image {
    /// The transform that makes stored pixels upright; raw values are the same as in UIKit.
    public enum Orientation: Int, Sendable, CaseIterable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored

        /// The orientation for the value 1...8 of the EXIF tag 0x0112; nil for any other number.
        public init?(exif: Int) {
            let table: [Orientation] = [
                .up, .upMirrored, .down, .downMirrored, .leftMirrored, .right, .rightMirrored, .left,
            ]
            guard table.indices.contains(exif - 1) else { return nil }
            self = table[exif - 1]
        }

        /// Whether the orientation swaps width and height.
        public var swapsSides: Bool {
            switch self {
            case .left, .right, .leftMirrored, .rightMirrored: true
            case .up, .down, .upMirrored, .downMirrored: false
            }
        }
    }
}
