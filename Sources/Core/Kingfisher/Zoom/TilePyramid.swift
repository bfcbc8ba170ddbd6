import Foundation
import Glibc
import KingfisherImage
import KingfisherStorage

/// The tiles of all levels of a decoded image, in a file without a name that is mapped. Safe from any thread.
final class TilePyramid: Sendable {
    private let levels: TileLevels
    private let format: PixelFormat
    private let data: Data
    private let room: TileSpace.Reservation
    /// Where the levels begin.
    private let offsets: [Int]

    /// Writes the tiles of `pixels` and of its smaller levels. Passes each level to `visit`.
    init(
        _ pixels: PixelBuffer, _ levels: TileLevels, _ folder: BodyFolder, _ space: TileSpace,
        visit: (Int, PixelBuffer) -> Void
    ) throws {
        (self.levels, format) = (levels, pixels.format)
        var offsets = [0]
        for level in 0..<levels.count {
            offsets.append(offsets[level] + levels.size(of: level).area * pixels.format.bytesPerPixel)
        }
        self.offsets = offsets
        room = try space.reserve(offsets[levels.count])
        let file = try folder.makeFile()
        var current = pixels
        for level in 0..<levels.count {
            if level > 0 { current = try current.resized(to: levels.size(of: level)) }
            visit(level, current)
            for area in levels.areas(of: level) { try Self.write(current, area, to: file) }
        }
        data = try file.mappedBytes(offsets[levels.count])
    }

    private static func write(_ pixels: PixelBuffer, _ area: PixelArea, to file: BodyFile) throws {
        let pixel = pixels.format.bytesPerPixel, length = area.size.width * pixel
        try withUnsafeTemporaryAllocation(byteCount: length * area.size.height, alignment: 16) { tile in
            pixels.withUnsafeBytes { bytes in
                guard let source = bytes.baseAddress, let target = tile.baseAddress else { return }
                for row in 0..<area.size.height {
                    let place = (area.y + row) * pixels.bytesPerRow + area.x * pixel
                    memcpy(target + row * length, source + place, length)
                }
            }
            try file.append(UnsafeRawBufferPointer(tile))
        }
    }

    /// The pixels of one tile.
    func tile(_ area: PixelArea, level: Int) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(area.size, format: format) { rows, bytesPerRow in
            read(area, level, to: rows, bytesPerRow)
        }
    }

    /// The pixels of a level.
    func whole(level: Int) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(levels.size(of: level), format: format) { rows, bytesPerRow in
            for area in levels.areas(of: level) {
                read(
                    area, level, to: rows + area.y * bytesPerRow + area.x * format.bytesPerPixel, bytesPerRow)
            }
        }
    }

    private func read(
        _ area: PixelArea, _ level: Int, to target: UnsafeMutableRawPointer, _ bytesPerRow: Int
    ) {
        let pixel = format.bytesPerPixel, length = area.size.width * pixel
        // All tiles in rows above, and those on the left.
        let before = area.y * levels.size(of: level).width + area.x * area.size.height
        data.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            for row in 0..<area.size.height {
                memcpy(
                    target + row * bytesPerRow, source + offsets[level] + before * pixel + row * length,
                    length)
            }
        }
    }
}
