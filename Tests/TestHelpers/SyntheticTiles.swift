package import Kingfisher
package import KingfisherImage
import Synchronization

/// An image of any size whose pixels are computed. It records what is asked for, holds tiles back, and fails.
package final class SyntheticTiles: TileProvider {
    private struct State {
        var started: [TiledImage.Tile] = []
        var cancelled: [TiledImage.Tile] = []
        var isHolding = false
        var isFailing = false
        var overviews: [PixelSize] = []
    }

    package let size: PixelSize
    package let levelCount: Int
    /// By level; all rows are parts of it, so that a tile is made quickly in a debug build.
    private let patterns: [[SIMD4<UInt8>]]
    private let state = Mutex(State())

    package static let error = KingfisherError.cacheError(reason: .imageNotExisting(key: "tile"))

    private static let patternLength = 1 << 16

    /// The place of a pixel in the pattern of its level. Odd, so that no two tiles nearby are equal.
    private static func index(_ x: Int, _ y: Int) -> Int { (x + y * 977) & (patternLength - 1) }

    /// Neighbours and levels differ.
    package static func noise(_ index: Int, _ level: Int) -> SIMD4<UInt8> {
        let mixed = (index + 1) &* 73_856_093
        return [
            UInt8(truncatingIfNeeded: mixed >> 8), UInt8(truncatingIfNeeded: mixed >> 16), UInt8(level * 40),
            255,
        ]
    }

    /// A pixel of an image that was made without colours.
    package static func noise(x: Int, y: Int) -> SIMD4<UInt8> { noise(index(x, y), 0) }

    /// - Parameter color: the colour of a pixel by the sum of its column and 977 times its row, modulo
    ///   65,536, and its level; noise by default.
    package init(
        width: Int, height: Int,
        color: (_ index: Int, _ level: Int) -> SIMD4<UInt8> = { SyntheticTiles.noise($0, $1) }
    ) {
        size = PixelSize(width: width, height: height)
        var count = 1
        while max(width, height) > TiledImage.tileLength << (count - 1) { count += 1 }
        levelCount = count
        patterns = (0..<count).map { level in (0..<Self.patternLength).map { color($0, level) } }
    }

    /// The tiles that were begun, in this order.
    package var started: [TiledImage.Tile] { state.withLock(\.started) }
    /// The tiles whose task was cancelled while they were held back.
    package var cancelled: [TiledImage.Tile] { state.withLock(\.cancelled) }
    /// The sizes that overviews had to cover.
    package var overviews: [PixelSize] { state.withLock(\.overviews) }

    /// Whether tiles wait.
    package var isHolding: Bool {
        get { state.withLock(\.isHolding) }
        set { state.withLock { $0.isHolding = newValue } }
    }

    /// Whether overviews and tiles fail.
    package var isFailing: Bool {
        get { state.withLock(\.isFailing) }
        set { state.withLock { $0.isFailing = newValue } }
    }

    package func overview(covering needed: PixelSize) async throws(KingfisherError) -> Image {
        state.withLock { $0.overviews.append(needed) }
        if isFailing { throw Self.error }
        let level = (0..<levelCount).last {
            let size = self.size(of: $0)
            return size.width >= needed.width && size.height >= needed.height
        }
        return image(x: 0, y: 0, size: size(of: level ?? 0), level: level ?? 0)
    }

    package func tile(_ tile: TiledImage.Tile) async throws(KingfisherError) -> Image {
        state.withLock { $0.started.append(tile) }
        while isHolding {
            guard !Task.isCancelled else {
                state.withLock { $0.cancelled.append(tile) }
                throw .requestError(reason: .asyncTaskContextCancelled)
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
        if isFailing { throw Self.error }
        let (size, length) = (size(of: tile.level), TiledImage.tileLength)
        let (x, y) = (tile.column * length, tile.row * length)
        return image(
            x: x, y: y,
            size: PixelSize(width: min(length, size.width - x), height: min(length, size.height - y)),
            level: tile.level)
    }

    private func size(of level: Int) -> PixelSize {
        PixelSize(
            width: (size.width + (1 << level) - 1) >> level,
            height: (size.height + (1 << level) - 1) >> level)
    }

    private func image(x: Int, y: Int, size: PixelSize, level: Int) -> Image {
        let pattern = patterns[level]
        let pixels = try? PixelBuffer(width: size.width, height: size.height, format: .rgba8Straight) {
            rows, bytesPerRow in
            pattern.withUnsafeBytes { bytes in
                for row in 0..<size.height {
                    var column = 0
                    while column < size.width {
                        let start = Self.index(x + column, y + row)
                        let count = min(size.width - column, Self.patternLength - start)
                        let part = bytes[start * 4..<(start + count) * 4]
                        UnsafeMutableRawBufferPointer(rebasing: rows[(row * bytesPerRow + column * 4)...])
                            .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
                        column += count
                    }
                }
            }
        }
        guard let pixels else { preconditionFailure("no memory for a tile") }
        return Image(pixels: pixels)
    }
}
