import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Testing

/// Files that were cut or altered on their way: an error, or a whole picture, and never a crash.
@Suite struct DamageTests {
    static let small = [
        "lossy-3x5", "lossy-17x13", "lossy-alpha-17x13", "lossless-17x13", "palette4", "lossless-ramps-z9",
        "alpha-two-levels", "orientation-6", "icc-garbage", "unknown-chunks", "anim-one-frame",
        "anim-one-pixel",
        "anim-larger-canvas", "anim-loops-3",
    ].map { "WebP/\($0).webp" }

    /// The shortest files of the set, of every kind.
    static let tiny = ReferenceSet.all.filter {
        ((try? Fixtures.url(named: $0).resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? .max) < 900
            && !$0.contains("16383")
    }

    @Test(arguments: small) func everyCutIsAnError(name: String) throws {
        let codec = WebPCodec()
        let data = try Fixtures.data(named: name)
        for count in 0..<data.count {
            let error = #expect(throws: ImageCodecError.self, "\(count) of \(data.count) bytes") {
                try codec.decode(data.prefix(count), minimumSize: nil)
            }
            // Within the signature it cannot be told from another format.
            #expect(error == .truncated || count <= 12, "\(count) of \(data.count) bytes: \(error as Any)")
        }
        _ = try codec.decode(data, minimumSize: nil)
    }

    @Test(arguments: small) func everyFlippedBitIsSurvived(name: String) throws {
        let data = try Fixtures.data(named: name)
        for offset in 0..<data.count {
            // Every bit of the headers, one of each byte behind them.
            for bit in offset < 64 ? 0..<8 : offset % 8..<offset % 8 + 1 {
                Survival.check(data.replacing(Data([data[offset] ^ 1 << bit]), at: offset))
            }
        }
        #expect(Survival.check(data))
    }

    @Test(arguments: 0..<40) func tenThousandMutationsAreSurvived(part: Int) throws {
        var generator = SplitMix64(state: UInt64(part))
        let files = try Self.tiny.map { try Fixtures.data(named: $0) }
        try #require(files.count > 80)
        var decoded = 0
        for number in 0..<250 {
            guard let file = files.randomElement(using: &generator) else { return }
            let mutation = Mutation.allCases[number % Mutation.allCases.count]
            let mutated = mutation.applied(to: file, among: files, using: &generator)
            if Survival.check(mutated) { decoded += 1 }
            Survival.checkIncremental(mutated, piece: Int.random(in: 1...200, using: &generator))
        }
        // Neither all refused nor all unharmed: the mutations reach the pixels.
        #expect((20...230).contains(decoded), "\(decoded) of 250 gave a picture")
    }

    @Test func noiseIsNoPicture() throws {
        var generator = SplitMix64(state: 1)
        for name in ["lossy-17x13", "palette4", "lossy-alpha-17x13", "anim-loops-3"] {
            let head = try Fixtures.data(named: "WebP/\(name).webp").prefix(20)
            for _ in 0..<300 {
                let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let file = head.replacing(Data(littleEndian: 212, 4), at: 4) + noise
                #expect(throws: ImageCodecError.self) { try WebPCodec().decode(file, minimumSize: nil) }
            }
        }
    }
}
