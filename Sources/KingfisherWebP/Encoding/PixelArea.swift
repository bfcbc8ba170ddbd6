import Foundation
import Kingfisher

/// A rectangle of pixels that is not empty.
struct PixelArea: Hashable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    /// All of a picture.
    init(of size: PixelSize) {
        (x, y, width, height) = (0, 0, size.width, size.height)
    }

    /// From the first column and row through the last ones.
    init(columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
        (x, y, width, height) = (columns.lowerBound, rows.lowerBound, columns.count, rows.count)
    }

    /// The same, widened to begin at an even place: WebP stores halves of offsets (RFC 9649, ANMF chunk).
    var startingEven: PixelArea {
        PixelArea(columns: x & ~1...x + width - 1, rows: y & ~1...y + height - 1)
    }
}

/// What changes from one 8-bit RGBA picture to another of the same size.
extension PixelBuffer {
    /// Bytes from the first row to where `area` begins.
    func offset(of area: PixelArea) -> Int { area.y * bytesPerRow + area.x * format.bytesPerPixel }

    /// The smallest area that holds every pixel in which the picture differs from `other`; the first pixel where
    /// nothing does.
    func area(differingFrom other: PixelBuffer) -> PixelArea {
        withPixels(and: other) { row, otherRow in
            func differs(_ y: Int) -> Bool { memcmp(row(y), otherRow(y), width * 4) != 0 }
            guard let top = (0..<height).first(where: differs),
                let bottom = (top..<height).last(where: differs)
            else { return PixelArea(columns: 0...0, rows: 0...0) }
            var (left, right) = (width, -1)
            for y in top...bottom {
                let (pixels, others) = (row(y), otherRow(y))
                if let first = (0..<left).first(where: { pixels[$0] != others[$0] }) { left = first }
                if let last = (right + 1..<width).last(where: { pixels[$0] != others[$0] }) { right = last }
            }
            return PixelArea(columns: left...right, rows: top...bottom)
        }
    }

    /// Makes the pixels of `argb`, a copy of `area`, clear where the picture is like `before`.
    ///
    /// False when a pixel that differs is not opaque: blending would mix it with what was there.
    func hide(
        _ area: PixelArea, whereLike before: PixelBuffer, in argb: UnsafeMutablePointer<UInt32>, stride: Int
    ) -> Bool {
        withPixels(and: before) { row, otherRow in
            for y in 0..<area.height {
                let (pixels, others) = (row(area.y + y) + area.x, otherRow(area.y + y) + area.x)
                let copy = argb + y * stride
                for x in 0..<area.width {
                    if pixels[x] == others[x] {
                        copy[x] = 0
                    } else if copy[x] >> 24 != 255 {
                        return false
                    }
                }
            }
            return true
        }
    }

    private typealias Row = (_ y: Int) -> UnsafePointer<UInt32>

    private func withPixels<Result>(
        and other: PixelBuffer, _ body: (_ row: Row, _ otherRow: Row) -> Result
    ) -> Result {
        withExtendedLifetime((self, other)) {
            body(
                { (self.unsafeBase + $0 * self.bytesPerRow).assumingMemoryBound(to: UInt32.self) },
                { (other.unsafeBase + $0 * other.bytesPerRow).assumingMemoryBound(to: UInt32.self) })
        }
    }
}
