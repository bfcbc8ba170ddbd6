import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Testing

/// Files that were cut, altered or made to lie: an error, or a whole picture, and never a crash.
@Suite struct WebPDamageTests {
    private let codec = WebPCodec()

    static let small = [
        "lossy-17x13", "lossy-alpha-17x13", "lossless-17x13", "all-metadata", "orientation-6",
        "unknown-chunks",
        "anim-blend-clear-lossy-alpha", "anim-walk-1", "anim-metadata", "anim-one-frame",
    ].map { "WebP/\($0).webp" }

    @Test(arguments: small) func everyCutIsTruncated(name: String) throws {
        let data = try Fixtures.data(named: name)
        for count in 9..<data.count {
            let cut = data.prefix(count)
            #expect(cut.withUnsafeBytes(codec.matches))
            #expect(throws: ImageCodecError.truncated, "\(count) of \(data.count) bytes") {
                try codec.header(of: cut)
            }
            #expect(throws: ImageCodecError.truncated) { try codec.decode(cut, minimumSize: nil) }
            #expect(throws: ImageCodecError.truncated) { try codec.frameSource(for: cut) }
        }
        _ = try codec.decode(data, minimumSize: nil)
    }

    @Test func bytesBehindTheFileAreAllowed() throws {
        let data = try Fixtures.data(named: "WebP/trailing-bytes.webp")
        let size = 8 + (4..<8).reduce(0) { $0 | Int(data[$1]) << (8 * ($1 - 4)) }
        #expect(size < data.count)
        let whole = WebPSamples.bytes(try codec.decode(data, minimumSize: nil))
        for count in size..<data.count {
            #expect(WebPSamples.bytes(try codec.decode(data.prefix(count), minimumSize: nil)) == whole)
        }
        #expect(throws: ImageCodecError.truncated) { try codec.header(of: data.prefix(size - 1)) }
    }

    /// Decodes all there is; a picture is whole or an error.
    private func readAll(_ data: Data) {
        do {
            let header = try codec.header(of: data)
            // A flipped bit may ask for a hundred megapixels, which is granted, and takes a second each time.
            if header.size.area > 1 << 20 { return }
            let pixels = try codec.decode(data, minimumSize: nil)
            #expect(pixels.size == header.displaySize)
            #expect(!pixels.format.isOpaque || pixels.isEntirelyOpaque)
            if let source = try codec.frameSource(for: data) {
                for index in 0..<source.frameCount { _ = source.frame(at: index) }
            }
        } catch {
            // Which one it is says little here.
        }
    }

    /// Of profiles, each of which makes a transform, and of many frames the scattered damage takes care.
    @Test(arguments: small.filter { !$0.contains("metadata") && !$0.contains("walk") })
    func everyFlippedBitIsSurvived(name: String) throws {
        let data = try Fixtures.data(named: name)
        for offset in 0..<data.count {
            var flipped = data
            flipped[offset] ^= 1 << (offset % 8)
            readAll(flipped)
        }
    }

    /// Several bytes at once, anywhere, over every fixture; the same each time, so that failures come again.
    @Test(arguments: WebPSamples.all) func scatteredDamageIsSurvived(name: String) throws {
        let data = try Fixtures.data(named: name)
        var generator = SplitMix64(state: UInt64(data.count))
        for _ in 0..<20 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let offset = Int.random(in: 12..<data.count, using: &generator)
                damaged[offset] =
                    [0, 255, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator)
                    ?? 0
            }
            readAll(damaged)
        }
    }

    @Test func noiseIsNoPicture() throws {
        var generator = SystemRandomNumberGenerator()
        for head in ["VP8 ", "VP8L", "VP8X", "ALPH", "ANMF"] {
            for _ in 0..<200 {
                let noise = Data((0..<120).map { _ in UInt8.random(in: 0...255, using: &generator) })
                #expect(throws: ImageCodecError.self) {
                    try codec.decode(RIFF.file(RIFF.chunk(head, noise)), minimumSize: nil)
                }
            }
        }
    }

    @Test func aRIFFSizeThatSaysLessIsCorrupt() throws {
        for name in ["lossless-17x13", "lossy-alpha-17x13", "anim-walk-1"] {
            let data = try Fixtures.data(named: "WebP/\(name).webp")
            for size in [0, 4, 12, 30, data.count / 2, data.count - 8 - 16] {
                var lying = data
                lying.replaceSubrange(4..<8, with: RIFF.little(size, bytes: 4))
                #expect(throws: ImageCodecError.corrupt("a damaged WebP container"), "\(name) \(size)") {
                    try codec.header(of: lying)
                }
            }
        }
    }

    @Test func aRIFFSizeThatSaysMoreIsTruncated() throws {
        let data = try Fixtures.data(named: "WebP/lossless-17x13.webp")
        for size in [data.count - 7, data.count + 1000, 0x7FFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFF] {
            var lying = data
            lying.replaceSubrange(4..<8, with: RIFF.little(size, bytes: 4))
            #expect(throws: ImageCodecError.truncated) { try codec.decode(lying, minimumSize: nil) }
        }
    }

    /// 17x13 in truth; what the container says about it is not.
    @Test func containersThatDisagreeWithTheirPicturesAreCorrupt() throws {
        let picture = try RIFF.bitstream(of: "WebP/lossless-17x13.webp")
        let frame = RIFF.anmf(picture, width: 17, height: 13)
        let lies: [String: Data] = [
            "a still's canvas": RIFF.file(RIFF.vp8x(0, width: 18, height: 13), picture),
            "a still that says it is animated": RIFF.file(RIFF.vp8x(2, width: 17, height: 13), picture),
            "an animation that says it is a still":
                RIFF.file(RIFF.vp8x(0, width: 17, height: 13), RIFF.anim(), frame),
            "an animation without ANIM": RIFF.file(RIFF.vp8x(2, width: 17, height: 13), frame),
            "an animation without frames": RIFF.file(RIFF.vp8x(2, width: 17, height: 13), RIFF.anim()),
            "a frame larger than the canvas":
                RIFF.file(RIFF.vp8x(2, width: 16, height: 13), RIFF.anim(), frame),
            "a frame that sticks out":
                RIFF.file(
                    RIFF.vp8x(2, width: 18, height: 14), RIFF.anim(),
                    RIFF.anmf(picture, left: 2, width: 17, height: 13)),
            "an empty frame":
                RIFF.file(
                    RIFF.vp8x(2, width: 17, height: 13), RIFF.anim(),
                    RIFF.anmf(Data(), width: 17, height: 13)),
            "two pictures in a still": RIFF.file(RIFF.vp8x(0, width: 17, height: 13), picture, picture),
        ]
        for (lie, data) in lies {
            #expect(throws: ImageCodecError.corrupt("a damaged WebP container"), "\(lie)") {
                try codec.decode(data, minimumSize: nil)
            }
        }
    }

    @Test func framesOfAnotherSizeThanTheySayAreCorrupt() throws {
        let picture = try RIFF.bitstream(of: "WebP/lossless-17x13.webp")
        for (width, height) in [(16, 13), (17, 14), (1, 1), (30, 30), (17 + 256, 13), (17, 13 + 65_536)] {
            let data = RIFF.file(
                RIFF.vp8x(2, width: 30, height: 30), RIFF.anim(),
                RIFF.anmf(picture, width: width, height: height))
            #expect(throws: ImageCodecError.corrupt("a frame of another size than it says")) {
                try codec.header(of: data)
            }
        }
    }

    @Test func canvasesAboveTheLimitTakeNoMemory() throws {
        let dot = try RIFF.bitstream(of: "WebP/lossless-1x1.webp")
        let data = RIFF.file(
            RIFF.vp8x(2, width: 16_000, height: 16_000), RIFF.anim(), RIFF.anmf(dot, width: 1, height: 1))
        #expect(throws: ImageCodecError.tooLarge(width: 16_000, height: 16_000)) {
            try codec.header(of: data)
        }
    }

    @Test func aDamagedBitstreamInAWholeContainerIsCorrupt() throws {
        for name in ["lossless-31x33", "lossy-alpha-31x33"] {
            var data = try Fixtures.data(named: "WebP/\(name).webp")
            let body = data.count / 2..<data.count
            data.replaceSubrange(body, with: Data(repeating: 0xFF, count: body.count))
            guard (try? codec.header(of: data)) != nil else { continue }
            do {
                _ = try codec.decode(data, minimumSize: nil)
            } catch {
                #expect(error != .truncated)
            }
        }
    }
}
