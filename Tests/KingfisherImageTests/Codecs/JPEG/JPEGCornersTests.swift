import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Faults of JPEG files other than the flipped bits of `CorruptFileTests`.
@Suite struct JPEGCornersTests {
    private let codec = JPEGCodec()

    private func error(_ data: Data, sourceLocation: SourceLocation = #_sourceLocation) -> ImageCodecError? {
        #expect(throws: ImageCodecError.self, sourceLocation: sourceLocation) {
            try codec.decode(data, minimumSize: nil)
        }
    }

    private func isCorrupt(_ error: ImageCodecError?) -> Bool {
        if case .corrupt = error { true } else { false }
    }

    private func isUnsupported(_ error: ImageCodecError?) -> Bool {
        if case .unsupported = error { true } else { false }
    }

    /// Truncated files never yield an image with a grey lower part, at any size.
    @Test(arguments: [
        "Photos/astronaut", "Photos/chelsea", "Progressive/photo", "JPEG/restart", "JPEG/410",
        "JPEG/arithmetic-progressive", "JPEG/ycck",
    ]) func filesTruncatedAtEverySixteenthAreErrors(name: String) throws {
        let data = try Fixtures.data(named: "\(name).jpg")
        for part in 1..<16 {
            let cut = data.prefix(data.count * part / 16)
            #expect(throws: ImageCodecError.truncated) { try codec.decode(cut, minimumSize: nil) }
            for side in [4.0, 16, 100] {
                #expect(throws: ImageCodecError.truncated) {
                    try Image.downsample(cut, to: CGSize(width: side, height: side), scale: 1)
                }
            }
        }
    }

    // MARK: Restarts

    private func restarts(_ data: Data) throws -> [Int] {
        let scan = try #require(data.offset(of: [0xFF, 0xDA]))
        return (scan..<data.count - 1).filter { data[$0] == 0xFF && (0xD0...0xD7).contains(data[$0 + 1]) }
    }

    @Test(arguments: ["restart", "restart-blocks", "progressive-restart"])
    func missingAndWrongRestartMarkersAreErrors(name: String) throws {
        let data = try Fixtures.data(named: "JPEG/\(name).jpg")
        let restarts = try restarts(data)
        try #require(restarts.count >= 2)
        for (index, offset) in restarts.enumerated() {
            let expected = data[offset + 1]
            let missing = data.prefix(offset) + data.dropFirst(offset + 2)
            #expect((try? codec.decode(missing, minimumSize: nil)) == nil, "\(index) missing")
            for other in UInt8(0xD0)...0xD7 where other != expected {
                let wrong = data.replacing([other], at: offset + 1)
                #expect((try? codec.decode(wrong, minimumSize: nil)) == nil, "\(index) is \(other)")
            }
        }
    }

    @Test func undeclaredRestartMarkersAreErrors() throws {
        let data = try Fixtures.data(named: "JPEG/restart.jpg")
        let interval = try #require(data.offset(of: [0xFF, 0xDD]))
        #expect(isCorrupt(error(data.prefix(interval) + data.dropFirst(interval + 6))))
        // An interval of zero declares no restart markers.
        #expect(isCorrupt(error(data.replacing([0, 0], at: interval + 4))))
    }

    // MARK: Tables

    @Test func corruptHuffmanTablesAreErrors() throws {
        let data = try Fixtures.data(named: "JPEG/420.jpg")
        let table = try #require(data.offset(of: [0xFF, 0xC4]))
        let counts = table + 5
        let broken: [String: Data] = [
            "more codes than the bits allow": data.replacing([3], at: counts),
            "more symbols than exist": data.replacing([UInt8](repeating: 255, count: 16), at: counts),
            "no codes": data.replacing([UInt8](repeating: 0, count: 16), at: counts),
            "a table number of ten": data.replacing([10], at: table + 4),
            "a shorter segment": data.replacing([0, 10], at: table + 2),
            "a DC symbol above fifteen": data.replacing([200], at: counts + 16),
        ]
        for (name, file) in broken { #expect(isCorrupt(error(file)), "\(name)") }
    }

    /// The frames of motion JPEG rely on the standard's example tables (T.81, K.3).
    @Test func filesWithoutHuffmanTablesUseTheStandardOnes() throws {
        let data = try Fixtures.data(named: "JPEG/420.jpg")
        #expect(
            Samples.all(try codec.decode(without(0xC4, data), minimumSize: nil))
                == Samples.all(try codec.decode(data, minimumSize: nil)))
    }

    @Test func missingQuantizationTablesAreErrors() throws {
        #expect(isCorrupt(error(without(0xDB, try Fixtures.data(named: "JPEG/420.jpg")))))
    }

    /// The file without its segments of `marker`.
    private func without(_ marker: UInt8, _ data: Data) -> Data {
        var data = data
        while let segment = data.offset(of: [0xFF, marker]) {
            let length = Int(data[segment + 2]) << 8 | Int(data[segment + 3])
            data = data.prefix(segment) + data.dropFirst(segment + 2 + length)
        }
        return data
    }

    // MARK: Frames

    @Test func aSideOfZeroIsRefused() throws {
        let data = try Fixtures.data(named: "JPEG/420.jpg")
        #expect(error(try data.promising(jpegWidth: 0, height: 36)) == .tooLarge(width: 0, height: 36))
        #expect(error(try data.promising(jpegWidth: 0, height: 0)) == .tooLarge(width: 0, height: 0))
    }

    /// The height may follow the first scan in its own segment (DNL, ITU-T T.81, B.2.5).
    @Test func aHeightAfterTheScanIsUnsupported() throws {
        let data = try Fixtures.data(named: "JPEG/420.jpg")
        let line = Data([0xFF, 0xDC, 0, 4, 0, 36])
        let late = try data.dropLast(2).promising(jpegWidth: 48, height: 0) + line + data.suffix(2)
        #expect(isUnsupported(error(late)))
        #expect(throws: ImageCodecError.self) { try codec.header(of: late) }
        // A segment that repeats the height is harmless.
        let twice = data.dropLast(2) + line + data.suffix(2)
        #expect(try codec.decode(twice, minimumSize: nil).height == 36)
    }

    @Test func twoFramesAreRefused() throws {
        let data = try Fixtures.data(named: "JPEG/420.jpg")
        let frame = try #require(data.offset(of: [0xFF, 0xC0]))
        let length = Int(data[frame + 3]) + 2
        let segment = data[frame..<frame + length]
        #expect(
            error(data.prefix(frame) + segment + data.dropFirst(frame)) == .corrupt("two frames in one JPEG"))
        // After the first scan, libjpeg detects the second frame.
        #expect(isCorrupt(error(data.dropLast(2) + segment + data.suffix(2))))
        #expect(isCorrupt(error(data.dropLast(2) + data)))
    }

    @Test(arguments: [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8])
    func losslessAndHierarchicalFramesAreUnsupported(process: UInt8) throws {
        let data = try Fixtures.data(named: "JPEG/420.jpg")
        let frame = try #require(data.offset(of: [0xFF, 0xC0]))
        #expect(isUnsupported(error(data.replacing([process], at: frame + 1))))
    }

    @Test(arguments: [0, 2, 7, 9, 12, 16] as [UInt8]) func depthsOtherThanEightBitsAreUnsupported(bits: UInt8)
        throws
    {
        for (name, marker) in [("420", 0xC0), ("progressive", 0xC2), ("arithmetic", 0xC9)]
            as [(String, UInt8)]
        {
            let data = try Fixtures.data(named: "JPEG/\(name).jpg")
            let frame = try #require(data.offset(of: [0xFF, marker]))
            #expect(
                error(data.replacing([bits], at: frame + 4)) == .unsupported("JPEG of \(bits) bits"))
        }
    }

    @Test(arguments: [0x00, 0x05, 0x50, 0xFF] as [UInt8]) func samplingFactorsOutsideOneToFourAreErrors(
        factors: UInt8
    )
        throws
    {
        let data = try Fixtures.data(named: "JPEG/420.jpg")
        let frame = try #require(data.offset(of: [0xFF, 0xC0]))
        #expect(isCorrupt(error(data.replacing([factors], at: frame + 11))))
    }

    @Test(arguments: ["410", "441", "411", "440", "422", "thirds", "mixed", "finer-chroma"])
    func imagesOfEverySubsamplingAreShrunk(name: String) throws {
        let data = try Fixtures.data(named: "JPEG/\(name).jpg")
        let full = Image(pixels: try codec.decode(data, minimumSize: nil))
        for side in [6.0, 12, 20] {
            let size = CGSize(width: side, height: side)
            let small = try #require(try Image.downsample(data, to: size, scale: 1).pixels)
            let expected = try #require(full.kf.downsampled(to: size, scale: 1).pixels)
            try #require(small.size == expected.size)
            let differences = zip(Samples.premultiplied(small), Samples.premultiplied(expected)).map {
                abs(Int($0) - Int($1))
            }
            #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 3)
        }
    }
}
