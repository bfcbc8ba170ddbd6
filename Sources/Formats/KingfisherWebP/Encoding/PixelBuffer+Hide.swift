import Foundation
import KingfisherCodecSupport

extension PixelBuffer {
    /// Clears the blocks of `side` x `side` pixels in `argb`, a copy of `area`, that are equal in `before`.
    ///
    /// Returns false if there are none, or if a remaining pixel is not opaque, because it would be blended.
    func hide(
        _ area: ChangedArea, whereLike before: PixelBuffer, blocksOf side: Int,
        in argb: UnsafeMutablePointer<UInt32>, stride: Int
    ) -> Bool {
        withRows { own in
            before.withRows { old in
                var hidesSome = false
                for top in Swift.stride(from: 0, to: area.height, by: side) {
                    let rows = top..<min(top + side, area.height)
                    for left in Swift.stride(from: 0, to: area.width, by: side) {
                        let count = min(side, area.width - left)
                        let isLikeBefore = rows.allSatisfy { y in
                            let (row, place) = (area.top + y, (area.left + left) * 4)
                            return memcmp(
                                own + row * bytesPerRow + place, old + row * before.bytesPerRow + place,
                                count * 4) == 0
                        }
                        for y in rows {
                            let pixels = UnsafeMutableBufferPointer(
                                start: argb + y * stride + left, count: count)
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
    }
}
