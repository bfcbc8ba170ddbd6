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

    /// Makes the pixels of `argb`, a copy of `area`, clear in the blocks of `side` pixels that are as in `before`.
    ///
    /// False when there are none, or when what stays is not opaque: blending would mix it with what was there.
    func hide(
        _ area: PixelArea, whereLike before: PixelBuffer, blocksOf side: Int,
        in argb: UnsafeMutablePointer<UInt32>, stride: Int
    ) -> Bool {
        withPixels(and: before) { row, otherRow in
            var hidesSome = false
            for top in Swift.stride(from: 0, to: area.height, by: side) {
                let rows = top..<min(top + side, area.height)
                for left in Swift.stride(from: 0, to: area.width, by: side) {
                    let count = min(side, area.width - left)
                    let isLikeBefore = rows.allSatisfy { y in
                        let place = area.x + left
                        return memcmp(row(area.y + y) + place, otherRow(area.y + y) + place, count * 4) == 0
                    }
                    for y in rows {
                        let pixels = UnsafeMutableBufferPointer(start: argb + y * stride + left, count: count)
                        if isLikeBefore {
                            pixels.update(repeating: 0)
                        } else if pixels.contains(where: { $0 >> 24 != 255 }) {
                            return false
                        }
                    }
                    hidesSome = hidesSome || isLikeBefore
                }
            }
            return hidesSome
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
