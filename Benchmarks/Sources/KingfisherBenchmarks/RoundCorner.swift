import Foundation
import Glibc
import Kingfisher

/// The input of drawing rows: an image of 1000 x 1000 opaque pixels.
enum DrawnImage {
    static let side = 1000
    /// Repetitions in one run; each takes far less than a millisecond.
    static let rounds = 40

    static func make() throws -> PixelBuffer {
        try PixelBuffer(width: side, height: side, format: .rgba8Opaque) { rows, bytesPerRow in
            var state: UInt64 = 33
            for y in 0..<side {
                for x in 0..<side {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let pixel = UInt32(truncatingIfNeeded: state >> 32).littleEndian | 0xff00_0000
                    rows.storeBytes(of: pixel, toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
                }
            }
        }
    }
}

/// Round corners of radius 50, by public API. Each makes a new image, which reuses the memory of the previous
/// one.
struct RoundCorner: Workload {
    private let image: Image

    init() throws {
        image = Image(pixels: try DrawnImage.make())
    }

    func run() throws -> Int {
        var transparent = 0
        for _ in 0..<DrawnImage.rounds {
            let rounded = image.kf.image(withRoundRadius: 50, fit: image.size)
            if rounded.pixels?.samples(x: 0, y: 0)?.last == 0 { transparent += 1 }
        }
        guard transparent == DrawnImage.rounds else { throw BenchmarkError("the corners are not round") }
        return transparent
    }
}

/// Copies the same pixels repeatedly from one place to another.
final class ImageCopy: Workload {
    private let source: PixelBuffer
    private let target: UnsafeMutableRawPointer
    private let count = DrawnImage.side * DrawnImage.side * 4

    init() throws {
        source = try DrawnImage.make()
        target = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
        memset(target, 1, count)
    }

    deinit {
        target.deallocate()
    }

    func run() -> Int {
        var sum = 0
        for round in 0..<DrawnImage.rounds {
            source.withUnsafeBytes { if let start = $0.baseAddress { memcpy(target, start, count) } }
            sum += Int(target.load(fromByteOffset: round, as: UInt8.self)) + 1
        }
        return sum
    }
}
