import Foundation

/// The smallest rectangle that contains every pixel in which two images differ, for encoders that store
/// differences.
public struct ChangedArea: Equatable {
    /// Pixels from the left edge.
    public var left: Int
    /// Pixels from the top edge.
    public var top: Int
    public var width: Int
    public var height: Int

    /// The area of the whole image.
    public init(_ size: PixelSize) {
        (left, top, width, height) = (0, 0, size.width, size.height)
    }

    /// The changed area; nil if the images are equal, all of `new` if size or format differ.
    public init?(from old: PixelBuffer, to new: PixelBuffer) {
        guard old.size == new.size, old.format == new.format else {
            self.init(new.size)
            return
        }
        // The rows are read by address, which does not retain the buffers.
        let area = withExtendedLifetime((old, new)) { Self.changes(from: old, to: new) }
        guard let area else { return nil }
        self = area
    }

    private static func changes(from old: PixelBuffer, to new: PixelBuffer) -> ChangedArea? {
        let length = new.width * new.format.bytesPerPixel
        // The number of equal bytes at the start and at the end of the rows.
        var (before, behind) = (length, length)
        var (first, last) = (new.height, -1)
        for y in 0..<new.height {
            let (one, other) = (old.unsafeBase + y * old.bytesPerRow, new.unsafeBase + y * new.bytesPerRow)
            if memcmp(one, other, length) == 0 { continue }
            (first, last) = (min(first, y), y)
            let (a, b) = (one.assumingMemoryBound(to: UInt8.self), other.assumingMemoryBound(to: UInt8.self))
            before = (0..<before).first { a[$0] != b[$0] } ?? before
            behind = (0..<behind).first { a[length - 1 - $0] != b[length - 1 - $0] } ?? behind
        }
        guard last >= 0 else { return nil }
        var area = ChangedArea(new.size)
        area.left = before / new.format.bytesPerPixel
        area.width = new.width - behind / new.format.bytesPerPixel - area.left
        (area.top, area.height) = (first, last - first + 1)
        return area
    }
}
