import Foundation
import KingfisherCodecSupport
import TestHelpers
import Testing

@testable import KingfisherAVIF

@Suite("AVIF: small targets without filters", .enabled(if: Tools.arePresent))
struct UnfilteredTests {
    private let target = PixelSize(width: 48, height: 36)

    private func image() throws -> PixelBuffer { try TestImages.smooth(256, 192) }

    /// What dav1d itself decodes, and what libavif decodes, for the target.
    private func decoded(_ file: Data) throws -> (own: PixelBuffer?, libavif: PixelBuffer) {
        let encoded = EncodedFile(file)
        let frames = try AVIFFrames(encoded)
        let own = AVIFUnfilteredFrame(of: encoded.reader, frames.info, shrunkTo: target)
        let small = try own == nil ? nil : frames.decodeStill(shrunkTo: target)
        return (small, try AVIFFrames(encoded).decode(frame: 0, shrunkTo: target))
    }

    @Test(
        "A quarter of each side has the pixels of libavif but for the filters",
        arguments: [
            ["-y", "444"], ["-y", "422"], ["-y", "420"], ["-y", "400"], ["-y", "420", "-r", "limited"],
            ["-d", "10", "-y", "420"], ["-d", "12", "-y", "444"], ["--cicp", "9/16/9"],
            ["--crop", "8,8,240,184"], ["--irot", "1"],
        ])
    func samePixels(_ arguments: [String]) throws {
        let lossy = arguments + ["--min", "40", "--max", "50"]
        let (own, libavif) = try decoded(Tools.encode([image()], lossy))
        let small = try #require(own)
        let peak = Double(small.format.depth == .eight ? 255 : 65_535)
        #expect(small.size == libavif.size && small.format == libavif.format)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(libavif), peak: peak) > 38)
        // Quantized like this, the filters change samples.
        #expect(small.packedBytes != libavif.packedBytes)
    }

    @Test("Grids, alpha, sequences and larger targets are left to libavif")
    func others() throws {
        let grid = try Tools.encode([image()], "--grid", "2x2")
        let alpha = try Tools.encode([TestImages.gradients(256, 192, alpha: true)])
        let sequence = try Tools.encode([image(), image()])
        for file in [grid, alpha, sequence] { #expect(try decoded(file).own == nil) }
        let still = EncodedFile(try Tools.encode([image()]))
        let larger = PixelSize(width: 68, height: 51)
        let info = try AVIFFrames(still).info
        #expect(AVIFUnfilteredFrame(of: still.reader, info, shrunkTo: larger) == nil)
    }

    @Test("A second thread decodes the same pixels", arguments: [PixelSize(width: 300, height: 200), nil])
    func threads(_ size: PixelSize?) throws {
        let options = ["--tilecolslog2", "1", "--min", "30", "--max", "40"]
        let file = try Tools.encode([TestImages.smooth(1_280, 854)], options)
        let pixels = try [true, false].map { usesIdleCores in
            try DecodingContext(usesIdleCores: usesIdleCores).run {
                try size.map { try AVIFCodec().decode(file, shrunkTo: $0) } ?? decode(file)
            }
        }
        #expect(pixels[0].packedBytes == pixels[1].packedBytes)
    }
}
