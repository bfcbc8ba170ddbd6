import Foundation

/// The smallest rectangle that holds every pixel in which two pictures differ.
package struct ChangedArea: Equatable {
    package var left: Int
    package var top: Int
    package var width: Int
    package var height: Int

    /// The whole of a picture.
    package init(_ size: PixelSize) {
        (left, top, width, height) = (0, 0, size.width, size.height)
    }

    /// Nil where the pictures, of the same size and format, are equal.
    package init?(from old: PixelBuffer, to new: PixelBuffer) {
        let length = new.width * new.format.bytesPerPixel
        // Bytes of a row before the first change and behind the last one.
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
        left = before / new.format.bytesPerPixel
        width = new.width - behind / new.format.bytesPerPixel - left
        (top, height) = (first, last - first + 1)
    }
}
