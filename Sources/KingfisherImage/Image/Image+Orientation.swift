extension Image {
    /// How stored pixels must be turned to stand upright; raw values as UIKit numbers them.
    public enum Orientation: Int, Sendable, CaseIterable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored

        /// The orientation that an EXIF tag 0x0112 of 1...8 means; nil for any other number.
        public init?(exif: Int) {
            let table: [Orientation] = [
                .up, .upMirrored, .down, .downMirrored, .leftMirrored, .right, .rightMirrored, .left,
            ]
            guard table.indices.contains(exif - 1) else { return nil }
            self = table[exif - 1]
        }

        /// Whether width and height change places.
        public var swapsSides: Bool {
            switch self {
            case .left, .right, .leftMirrored, .rightMirrored: true
            case .up, .down, .upMirrored, .downMirrored: false
            }
        }
    }
}
