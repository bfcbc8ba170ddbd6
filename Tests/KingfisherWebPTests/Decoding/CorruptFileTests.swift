import Foundation
import KingfisherTestSupport
import KingfisherWebP
import TestHelpers
import Testing

/// Truncated or altered files give an error or a whole image, and never crash.
@Suite struct CorruptFileTests {
    private let codec = WebPCodec()

    static let small = [
        "lossy-3x5", "lossy-17x13", "lossy-alpha-17x13", "lossless-17x13", "palette4", "lossless-ramps-z9",
        "alpha-two-levels", "orientation-6", "icc-garbage", "unknown-chunks", "anim-one-frame",
        "anim-one-pixel",
        "anim-larger-canvas", "anim-loops-3", "all-metadata", "anim-blend-clear-lossy-alpha",
    ].map { "WebP/\($0).webp" }

    /// The shortest files of every kind.
    static let tiny = ReferenceSet.all.filter {
        ((try? Fixtures.url(named: $0).resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? .max) < 900
            && !$0.contains("16383")
    }

    @Test(arguments: small) func filesTruncatedAnywhereAreErrors(name: String) throws {
        let data = try Fixtures.data(named: name)
        for count in 0..<data.count {
            let cut = data.prefix(count)
            // Before its signature is complete, a file has an unknown format.
            guard cut.withUnsafeBytes(codec.matches) else {
                #expect(count <= 8)
                #expect(throws: ImageCodecError.self) { try codec.decode(cut, minimumSize: nil) }
                continue
            }
            #expect(throws: ImageCodecError.truncated, "\(count) of \(data.count) bytes") {
                try codec.header(of: cut)
            }
            #expect(throws: ImageCodecError.truncated) { try codec.decode(cut, minimumSize: nil) }
            #expect(throws: ImageCodecError.truncated) { try codec.frameSource(for: cut) }
        }
        _ = try codec.decode(data, minimumSize: nil)
    }

    @Test func bytesAfterTheFileAreIgnored() throws {
        let data = try Fixtures.data(named: "WebP/trailing-bytes.webp")
        let size = 8 + (4..<8).reduce(0) { $0 | Int(data[$1]) << (8 * ($1 - 4)) }
        #expect(size < data.count)
        let whole = Raster(try codec.decode(data, minimumSize: nil))
        for count in size..<data.count {
            #expect(Raster(try codec.decode(data.prefix(count), minimumSize: nil)) == whole)
        }
        #expect(throws: ImageCodecError.truncated) { try codec.header(of: data.prefix(size - 1)) }
    }

    /// The scattered corruption covers profiles, each of which creates a transform, and files with many
    /// frames.
    @Test(arguments: small.filter { !$0.contains("metadata") && !$0.contains("blend") })
    func everyFlippedBitGivesAnImageOrAnError(name: String) throws {
        let data = try Fixtures.data(named: name)
        for offset in 0..<data.count {
            // Every bit of the headers, and one bit of each later byte.
            for bit in offset < 64 ? 0..<8 : offset % 8..<offset % 8 + 1 {
                DecodeChecks.check(data.replacing(Data([data[offset] ^ 1 << bit]), at: offset))
            }
        }
        #expect(DecodeChecks.check(data))
    }

    @Test(arguments: 0..<40) func tenThousandMutationsGiveAnImageOrAnError(part: Int) throws {
        var generator = SeededGenerator(seed: UInt64(part))
        let files = try Self.tiny.map { try Fixtures.data(named: $0) }
        try #require(files.count > 80)
        var decoded = 0
        for number in 0..<250 {
            guard let file = files.randomElement(using: &generator) else { return }
            let mutation = Mutation.allCases[number % Mutation.allCases.count]
            let mutated = mutation.applied(to: file, among: files, using: &generator)
            if DecodeChecks.check(mutated) { decoded += 1 }
            DecodeChecks.checkIncremental(mutated, piece: Int.random(in: 1...200, using: &generator))
        }
        // Some are refused and some are decoded, so the mutations reach the pixels.
        #expect((20...230).contains(decoded), "\(decoded) of 250 gave an image")
    }

    /// Alters several bytes at random places in every fixture, with a fixed seed, so failures are
    /// reproducible.
    @Test(arguments: ReferenceSet.all) func scatteredCorruptBytesGiveAnImageOrAnError(name: String) throws {
        let data = try Fixtures.data(named: name)
        var generator = SeededGenerator(seed: UInt64(data.count))
        for _ in 0..<20 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let offset = Int.random(in: 12..<data.count, using: &generator)
                let byte = UInt8.random(in: 0...255, using: &generator)
                damaged[offset] = [0, 255, byte].randomElement(using: &generator) ?? 0
            }
            DecodeChecks.check(damaged)
        }
    }

    @Test func noiseAfterAHeaderIsNotAnImage() throws {
        var generator = SeededGenerator(seed: 1)
        for name in ["lossy-17x13", "palette4", "lossy-alpha-17x13", "anim-loops-3"] {
            let head = try Fixtures.data(named: "WebP/\(name).webp").prefix(20)
            for _ in 0..<300 {
                let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let file = head.replacing(Data(littleEndian: 212, 4), at: 4) + noise
                #expect(throws: ImageCodecError.self) { try codec.decode(file, minimumSize: nil) }
            }
        }
    }

    @Test(arguments: ["VP8 ", "VP8L", "VP8X", "ALPH", "ANMF"])
    func aChunkOfNoiseIsNotAnImage(name: String) throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<200 {
            let noise = Data((0..<120).map { _ in UInt8.random(in: 0...255, using: &generator) })
            let file = WebPBytes([WebPBytes.Chunk(name: name, payload: noise)]).file
            #expect(throws: ImageCodecError.self) { try codec.decode(file, minimumSize: nil) }
        }
    }

    /// The container is complete and valid; a truncated download would be a different error.
    @Test(arguments: ["lossless-31x33", "lossless-chelsea", "lossy-alpha-31x33", "photo-q75"])
    func aTruncatedBitstreamInACompleteContainerIsCorrupt(name: String) throws {
        var parts = try WebPBytes(fixture: name)
        let image = try #require(parts.chunks.firstIndex { $0.name == "VP8 " || $0.name == "VP8L" })
        let payload = parts.chunks[image].payload
        parts.chunks[image].payload = payload.prefix(payload.count * 2 / 3)
        let error = #expect(throws: ImageCodecError.self) { try codec.decode(parts.file, minimumSize: nil) }
        guard case .corrupt = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test func framesWithAWrongDeclaredSizeAreCorrupt() throws {
        let image = try WebPBytes(fixture: "lossless-17x13").bitstream
        for (width, height) in [(16, 13), (17, 14), (1, 1), (30, 30), (17 + 256, 13), (17, 13 + 65_536)] {
            let data = WebPBytes([
                WebPBytes.vp8x(flags: WebPBytes.animationFlag, 30, 30), WebPBytes.anim(),
                WebPBytes.frame(image, width, height),
            ]).file
            #expect(throws: ImageCodecError.corrupt("a frame with another size than it declares")) {
                try codec.header(of: data)
            }
        }
    }
}
