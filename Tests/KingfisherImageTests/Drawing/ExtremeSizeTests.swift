import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Images and requests at the limits give an error or an image, in bounded memory.
@Suite struct ExtremeSizeTests {
    private func strip(width: Int) throws -> PixelBuffer {
        try PixelBuffer(width: width, height: 1, format: .gray8, zeroed: true) { rows, _ in
            UnsafeMutableRawBufferPointer(rebasing: rows[(width / 2)..<width])
                .initializeMemory(as: UInt8.self, repeating: 255)
        }
    }

    @Test("An image twenty million pixels wide shrinks to its visible content", arguments: [1, 2, 3])
    func longStrip(width: Int) throws {
        let target = PixelSize(width: width, height: 1)
        let (small, reference) = (
            try strip(width: 20_000_000).resized(to: target), try strip(width: 1_000).resized(to: target)
        )
        for x in 0..<width {
            let level = try #require(small.samples(x: x, y: 0)?.first)
            #expect(abs(level - (try #require(reference.samples(x: x, y: 0)?.first))) <= 2)
        }
    }

    @Test("The table of a filter is bounded: larger sides are refused immediately")
    func filteredSides() throws {
        let wide = PixelSize(width: ImageLimits.maximumFilteredSide + 1, height: 1)
        let refusal = { (size: PixelSize) in ImageCodecError.tooLarge(width: size.width, height: size.height)
        }
        let dot = try PixelBuffer(width: 1, height: 1, format: .gray8, zeroed: true) { _, _ in }
        #expect(throws: refusal(wide)) { try dot.resized(to: wide) }
        let deep = try PixelBuffer(
            width: wide.width, height: 1, format: PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque),
            zeroed: true
        ) { _, _ in }
        #expect(throws: refusal(dot.size)) { try deep.resized(to: dot.size) }
    }

    @Test("Row padding counts: a hundred million rows of one pixel are refused instead of taking 6 GB")
    func tallStrip() throws {
        let tall = PixelSize(width: 1, height: 100_000_000)
        let refusal = ImageCodecError.tooMuchMemory
        let header = try Fixtures.data(named: "PNG/gray8.png")
            .replacing([0, 0, 0, 1, 0x05, 0xF5, 0xE1, 0], at: 16)
        #expect(throws: refusal) { try Image.decode(header) }
        let dot = try PixelBuffer(width: 1, height: 1, format: .gray8, zeroed: true) { _, _ in }
        #expect(throws: refusal) { try dot.resized(to: tall) }
    }

    @Test("An image four million pixels wide is drawn on and encoded in little more than its own memory")
    func wideStrip() throws {
        let strip = try strip(width: 4_000_000)
        var limits = ImageLimits()
        // The image as RGBA; the limit also applies to any other memory that an operation needs.
        limits.maximumFrameBytes = 16_000_000
        let written = try DecodingContext(limits: limits).run {
            let colors = try strip.premultiplied()
            #expect(colors.samples(x: 1_999_999, y: 0) == [0, 0, 0, 255])
            #expect(colors.samples(x: 2_000_000, y: 0) == [255, 255, 255, 255])
            let straight = try colors.converted(to: .rgba8Straight)
            #expect(straight.samples(x: 3_999_999, y: 0) == [255, 255, 255, 255])
            let round = Image(pixels: strip).kf.image(
                withRoundRadius: 9, fit: CGSize(width: 4_000_000, height: 1))
            #expect(round.pixels?.format == .rgba8Premultiplied)
            return try PNGEncoder.encode(colors)
        }
        // Decoding takes two rows in addition to the image, here as much again.
        #expect(try PNGCodec().decode(written, minimumSize: nil).size == strip.size)
        limits.maximumFrameBytes = 4_000_000
        try DecodingContext(limits: limits).run {
            let file = try PNGEncoder.encode(strip)
            #expect(file.count < 100_000)
        }
    }

    @Test("The strips of a blur are bounded: images with larger sides are refused or returned unchanged")
    func blurredSides() throws {
        let wide = try strip(width: ImageLimits.maximumFilteredSide + 1)
        let blur = try #require(BoxBlur(radius: 2))
        #expect(throws: ImageCodecError.tooLarge(width: wide.width, height: 1)) { try wide.blurred(blur) }
        #expect(Image(pixels: wide).kf.blurred(withRadius: 2).pixels === wide)
    }

    @Test("Working memory counts against the limits and is refused without a trap")
    func scratch() throws {
        var limits = ImageLimits()
        limits.maximumFrameBytes = 3 << 20
        DecodingContext(limits: limits).run {
            #expect(throws: Never.self) { _ = try Scratch(byteCount: 3 << 20) }
            #expect(throws: ImageCodecError.tooMuchMemory) { _ = try Scratch(byteCount: 3 << 20 + 1) }
        }
        limits.maximumFrameBytes = .max
        DecodingContext(limits: limits).run {
            #expect(throws: ImageCodecError.tooMuchMemory) { _ = try Scratch(byteCount: .max) }
            for byteCount in [Int.max - 64, 1 << 60] {
                #expect(throws: ImageCodecError.outOfMemory) { _ = try Scratch(byteCount: byteCount) }
            }
        }
    }

    static let odd: [CGFloat] = [0, -1, 1e-300, 1e9, .greatestFiniteMagnitude, .infinity, -.infinity, .nan]

    @Test("Invalid numbers leave the image unchanged or are clamped", arguments: odd)
    func oddNumbers(number: CGFloat) throws {
        let image = Image(
            pixels: try PixelBuffer(width: 5, height: 3, format: .rgba8Opaque, zeroed: true) { _, _ in })
        let size = CGSize(width: number, height: number)
        let results = [
            image.kf.resize(to: size), image.kf.resize(to: size, for: .aspectFit),
            image.kf.resize(to: CGSize(width: number, height: 2), for: .aspectFill),
            image.kf.crop(to: size, anchorOn: CGPoint(x: number, y: number)),
            image.kf.crop(to: CGSize(width: 2, height: 2), anchorOn: CGPoint(x: number, y: 0)),
            image.kf.blurred(withRadius: number),
            image.kf.image(withRoundRadius: number, fit: CGSize(width: 5, height: 3)),
            image.kf.image(withRadius: .widthFraction(number), fit: size),
            image.kf.downsampled(to: size, scale: number), image.kf.scaled(to: number),
            Image(pixels: try #require(image.pixels), scale: number),
        ]
        for result in results {
            let pixels = try #require(result.pixels)
            #expect(pixels.width * pixels.height <= ImageLimits.maximumPixels)
            #expect(result.scale > 0 && result.scale.isFinite)
        }
    }
}
