import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherImage

/// Rows that other code allocated.
@Suite struct AdoptedPixelsTests {
    /// Frees rows and counts the calls.
    private final class Owner: Sendable {
        let releases = Mutex(0)

        func release(_ rows: UnsafeMutableRawPointer) {
            releases.withLock { $0 += 1 }
            rows.deallocate()
        }

        var count: Int { releases.withLock { $0 } }
    }

    /// A copy of the pixels in memory owned by the test; rows have some extra pixels.
    private func adopted(
        _ pixels: PixelBuffer, _ owner: Owner, spare: Int = 1
    ) throws -> PixelBuffer {
        let bytesPerRow = (pixels.width + spare) * pixels.format.bytesPerPixel
        let rows = UnsafeMutableRawPointer.allocate(
            byteCount: bytesPerRow * pixels.height, alignment: pixels.format.bytesPerPixel)
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                let row = UnsafeMutableRawBufferPointer(start: rows + y * bytesPerRow, count: bytesPerRow)
                memset(rows + y * bytesPerRow, 0xA5, bytesPerRow)
                let source = bytes[(y * pixels.bytesPerRow)...].prefix(
                    pixels.width * pixels.format.bytesPerPixel)
                row.copyBytes(from: source)
            }
        }
        return try PixelBuffer(
            adopting: rows, width: pixels.width, height: pixels.height, bytesPerRow: bytesPerRow,
            format: pixels.format, release: owner.release)
    }

    private static let formats: [PixelFormat] = [
        .gray8, .rgba8Opaque, .rgba8Straight, .rgba8Premultiplied,
        PixelFormat(layout: .grayAlpha, depth: .eight, alpha: .straight),
        PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque),
        PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight),
    ]

    @Test("Every operation gives the same pixels for adopted and for own rows", arguments: formats)
    func operations(format: PixelFormat) throws {
        var generator = SeededGenerator(seed: 7)
        let owner = Owner()
        let own = try PixelBuffer.noise(37, 23, format, using: &generator)
        let operations: [(PixelBuffer) throws -> PixelBuffer] = [
            { $0 }, { try $0.resized(to: PixelSize(width: 11, height: 7)) },
            { try $0.resized(to: PixelSize(width: 90, height: 50)) },
            { try $0.resized(to: PixelSize(width: 3, height: 1)) },
            { try $0.upright(from: .left) }, { try $0.upright(from: .rightMirrored) },
            { try $0.premultiplied() },
            { try $0.roundedCorners(.all, radius: 5, background: nil) },
            { try $0.roundedCorners(.topLeft, radius: 9, background: .red) },
            { try $0.converted(to: PixelFormat(layout: .rgba, depth: .sixteen, alpha: .premultiplied)) },
        ]
        for operation in operations {
            for spare in [0, 1, 200] {
                let copy = try adopted(own, owner, spare: spare)
                #expect(copy.bytesPerRow == (37 + spare) * format.bytesPerPixel)
                #expect(Samples.all(try operation(copy)) == Samples.all(try operation(own)))
            }
        }
        #expect(owner.count == 3 * operations.count)
    }

    @Test("Files depend only on the pixels, not on the row padding", arguments: formats)
    func betweenRows(format: PixelFormat) throws {
        var generator = SeededGenerator(seed: 9)
        let owner = Owner()
        // On both sides of the widths that loops take at once.
        for width in Array(1...20) + [31, 32, 33, 63, 64, 65] {
            let own = try PixelBuffer.noise(width, 9, format, using: &generator)
            let codecs: [any ImageCodec] = [PNGCodec(), JPEGCodec(), GIFCodec()]
            for codec in codecs {
                let options = ImageEncodingOptions()
                let files = try [own, adopted(own, owner), adopted(own, owner, spare: 90)].map {
                    try codec.encode($0, options: options)
                }
                #expect(Set(files).count == 1, "\(width) \(codec.format)")
            }
        }
    }

    @Test("Drawing, filtering and encoding give the same result", arguments: [ImageFormat.PNG, .JPEG, .GIF])
    func written(format: ImageFormat) throws {
        var generator = SeededGenerator(seed: 8)
        let own = try PixelBuffer.noise(61, 40, .rgba8Premultiplied, using: &generator)
        let owner = Owner()
        func bytes(_ pixels: PixelBuffer) throws -> Data? {
            let image = Image(pixels: pixels).kf.blurred(withRadius: 3).kf.tinted(
                with: .red.withAlphaComponent(0.3)
            )
            .kf.crop(to: CGSize(width: 33, height: 21), anchorOn: CGPoint(x: 0.3, y: 0.9))
            return try image.encoded(using: #require(ImageCodecs.codec(for: format)))
        }
        #expect(try bytes(adopted(own, owner)) == bytes(own))
        #expect(
            try Image(pixels: adopted(own, owner)).kf.data(format: format)
                == Image(pixels: own).kf.data(format: format))
        #expect(owner.count == 2)
    }

    @Test("Rows are released once, with the last reference")
    func released() throws {
        let owner = Owner()
        var one: PixelBuffer? = try adopted(try Samples.buffer(2, .gray8, [1, 2, 3, 4]), owner)
        var other = one
        one = nil
        #expect(owner.count == 0)
        #expect(other?.samples(x: 1, y: 1) == [4])
        other = nil
        #expect(owner.count == 1)
        _ = other
    }

    @Test(
        "Refused rows are released before the error is thrown",
        arguments: [
            (0, 1, 64), (1, 0, 64), (-1, 1, 64), (17, 1, 64), (1, 1, 6), (1, 1, 0), (1, 1, -64),
            (10_001, 10_000, 40_004), (1, 2, 1 << 40), (1, 4, .max), (.max, .max, .max),
        ])
    func refused(width: Int, height: Int, bytesPerRow: Int) throws {
        let owner = Owner()
        let rows = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
        #expect(throws: ImageCodecError.self) {
            try PixelBuffer(
                adopting: rows, width: width, height: height, bytesPerRow: bytesPerRow, format: .rgba8Opaque,
                release: owner.release)
        }
        #expect(owner.count == 1)
    }

    @Test("Rows at an odd address are refused") func odd() throws {
        let owner = Owner()
        let rows = UnsafeMutableRawPointer.allocate(byteCount: 65, alignment: 64)
        defer { rows.deallocate() }
        #expect(throws: ImageCodecError.self) {
            try PixelBuffer(
                adopting: rows + 1, width: 4, height: 4, bytesPerRow: 16, format: .rgba8Opaque
            ) { _ in owner.releases.withLock { $0 += 1 } }
        }
        #expect(owner.count == 1)
    }
}
