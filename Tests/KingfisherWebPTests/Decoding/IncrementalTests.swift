import Foundation
import KingfisherTestSupport
import KingfisherWebP
import TestHelpers
import Testing

/// Decoding an image while its bytes arrive.
@Suite struct IncrementalTests {
    static let files = [
        "photo-q75", "lossy-16383x1", "lossless-1x16383", "badge", "badge-lossless", "alpha-two-levels",
        "lossless-camera", "palette2", "lossy-1x1", "orientation-6", "orientation-8-prefixed", "icc-adobe",
        "icc-adobe-alpha", "all-metadata", "unknown-chunks", "trailing-bytes", "vp8x-alpha-flag-opaque",
    ].map { "WebP/\($0).webp" }

    @Test(arguments: ReferenceSet.stills, [1, 97, 4096])
    func theFinishedImageMatchesTheCodec(name: String, step: Int) throws {
        let data = try Fixtures.data(named: name)
        let decoder = WebPIncrementalDecoder()
        // For single bytes, the first kilobytes are enough to stop at every place in the headers.
        let start = step == 1 ? min(3_000, data.count) : 0
        for offset in 0..<start { try decoder.append(data[offset..<offset + 1]) }
        for offset in stride(from: start, to: data.count, by: max(step, 97)) {
            try decoder.append(data[offset..<min(offset + max(step, 97), data.count)])
        }
        #expect(decoder.isFinished)
        let expected = try WebPCodec().decode(data, minimumSize: nil)
        let image = try #require(try decoder.image())
        #expect(image.size == expected.size)
        #expect(image.format == expected.format)
        #expect(Raster(image).bytes == Raster(expected).bytes)
        #expect(decoder.header == (try WebPCodec().header(of: data)))
        #expect(decoder.decodedRows == decoder.header?.size.height)
    }

    @Test(arguments: ["photo-q75", "lossless-camera", "badge", "icc-adobe", "vp8x-no-flags"])
    func decodedRowsMatchTheWholeImage(name: String) throws {
        let data = try Fixtures.data(named: "WebP/\(name).webp")
        let whole = try WebPCodec().decode(data, minimumSize: nil)
        let expected = Raster(whole).bytes
        let decoder = WebPIncrementalDecoder()
        var seen: Set<Int> = []
        for offset in stride(from: 0, to: data.count - 1, by: 50) {
            try decoder.append(data[offset..<min(offset + 50, data.count - 1)])
            let rows = decoder.decodedRows
            #expect(rows >= seen.max() ?? 0)
            seen.insert(rows)
            guard let image = try decoder.image() else { continue }
            #expect(image.size == whole.size)
            #expect(image.format == .rgba8Straight)
            let bytes = Raster(image).bytes
            #expect(
                bytes.prefix(rows * whole.width * 4).elementsEqual(expected.prefix(rows * whole.width * 4)))
            #expect(bytes.dropFirst(rows * whole.width * 4).allSatisfy { $0 == 0 })
        }
        // The smallest file arrives in one piece.
        #expect(seen.count > 1 || data.count < 1000, "\(seen)")
        #expect(!decoder.isFinished)
    }

    /// The alpha flag of the header is cleared, but the bitstream contains alpha.
    @Test func rowsWithUndeclaredAlphaAreOpaqueFromTheFirstOne() throws {
        var data = try Fixtures.data(named: "WebP/badge-lossless.webp")
        data[24] &= ~0x10
        let expected = Raster(try WebPCodec().decode(data, minimumSize: nil)).bytes
        let decoder = WebPIncrementalDecoder()
        try decoder.append(data.dropLast())
        let image = try #require(try decoder.image())
        let count = decoder.decodedRows * image.width * 4
        #expect(count > 0 && !decoder.isFinished)
        #expect(Raster(image).bytes.prefix(count).elementsEqual(expected.prefix(count)))
    }

    @Test func beforeTheHeaderThereIsNoImage() throws {
        let data = try Fixtures.data(named: "WebP/photo-q75.webp")
        let decoder = WebPIncrementalDecoder()
        #expect(try decoder.image() == nil)
        try decoder.append(data.prefix(20))
        #expect(decoder.header == nil && decoder.decodedRows == 0 && !decoder.isFinished)
        #expect(try decoder.image() == nil)
        try decoder.append(data.dropFirst(20).prefix(20))
        let size = try #require(decoder.header).size
        let image = try #require(try decoder.image())
        #expect(image.size == size)
        #expect(Raster(image).bytes.allSatisfy { $0 == 0 })
    }

    @Test func animationsAreRefused() throws {
        let decoder = WebPIncrementalDecoder()
        let error = ImageCodecError.unsupported("decoding an animation while it arrives")
        let data = try Fixtures.data(named: "WebP/anim-walk-1.webp")
        #expect(throws: error) { try decoder.append(data) }
        #expect(throws: error) { try decoder.append(data) }
        #expect(throws: error) { try decoder.image() }
    }

    @Test func otherFormatsAreRefusedAtTheNinthByte() throws {
        let decoder = WebPIncrementalDecoder()
        try decoder.append(Data("RIFF....".utf8))
        #expect(throws: ImageCodecError.corrupt("no WebP signature")) { try decoder.append(Data("A".utf8)) }
    }

    /// The largest sizes that the bitstreams can declare.
    @Test func imagesAboveTheLimitTakeNoMemory() throws {
        let lossless = WebPBytes.Chunk(
            name: "VP8L", payload: Data([0x2F, 0xFF, 0xFF, 0xFF, 0x0F]) + Data(count: 100))
        let lossy = WebPBytes.Chunk(
            name: "VP8 ",
            payload: Data([0x30, 0, 0, 0x9D, 0x01, 0x2A, 0xFF, 0x3F, 0xFF, 0x3F]) + Data(count: 100))
        for chunk in [lossless, lossy] {
            let (decoder, file) = (WebPIncrementalDecoder(), WebPBytes([chunk]).file)
            #expect(throws: ImageCodecError.self) { try decoder.append(file) }
            #expect(decoder.decodedRows == 0)
            #expect(throws: ImageCodecError.self) { try decoder.image() }
        }
        let decoder = WebPIncrementalDecoder()
        #expect(throws: ImageCodecError.tooLarge(width: 16_384, height: 16_384)) {
            try decoder.append(WebPBytes([lossless]).file)
        }
    }

    @Test(arguments: files) func corruptFilesGiveAnImageOrAnError(name: String) throws {
        let data = try Fixtures.data(named: name)
        var generator = SeededGenerator(seed: UInt64(data.count))
        for _ in 0..<30 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                damaged[Int.random(in: 4..<data.count, using: &generator)] =
                    UInt8.random(in: 0...255, using: &generator)
            }
            let decoder = WebPIncrementalDecoder()
            var offset = 0
            do {
                while offset < damaged.count {
                    let end = min(offset + Int.random(in: 1...2000, using: &generator), damaged.count)
                    try decoder.append(damaged[offset..<end])
                    _ = try decoder.image()
                    offset = end
                }
            } catch {
                #expect(throws: ImageCodecError.self) { try decoder.image() }
            }
            // A decoder that reports the end must have the right image.
            if decoder.isFinished {
                let expected = try WebPCodec().decode(damaged, minimumSize: nil)
                #expect(try decoder.image().map { Raster($0).bytes } == Raster(expected).bytes)
            }
        }
    }

    @Test func imagesMayBeReadFromManyThreadsWhileBytesArrive() async throws {
        let data = try Fixtures.data(named: "WebP/lossless-camera.webp")
        let decoder = WebPIncrementalDecoder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 { if let image = try decoder.image() { #expect(image.width > 0) } }
                }
            }
            for offset in stride(from: 0, to: data.count, by: 200) {
                try decoder.append(data[offset..<min(offset + 200, data.count)])
            }
            try await group.waitForAll()
        }
        #expect(decoder.isFinished)
    }
}
