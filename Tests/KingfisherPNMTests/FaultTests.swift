import Foundation
import KingfisherPNM
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct FaultTests {
    private let codec = PNMCodec()

    /// Every length of the headers and near the end, some in between. Of text, the last digits of a number
    /// may be missing unnoticed.
    @Test(arguments: References.names) func truncationsAreErrors(name: String) throws {
        let data = try Fixtures.data(named: name)
        let whole = try codec.decode(data, minimumSize: nil).packedBytes
        let isText = name.contains("plain")
        // Text ends with white space, behind a number of several digits.
        let slack = isText ? 8 : 0
        for count in 0..<data.count where count < 150 || count > data.count - 20 || count % 29 == 0 {
            let part = data.prefix(count)
            if count < data.count - slack {
                #expect(codec.failure(of: part) == .truncated, "\(name) \(count)")
            }
            guard count % 3 == 0 || count < 150 else { continue }
            if let partial = try? codec.decode(part, minimumSize: nil, acceptsPartialImages: true) {
                #expect(partial.packedBytes.count == whole.count)
                #expect(isText || codec.endsEarly(part))
            }
        }
    }

    @Test(arguments: ["PNM/rgb-255.ppm", "PNM/rgb-alpha-1000.pam", "PNM/gray-255.pgm", "PNM/bits.pbm"])
    func rowsOfATruncatedFileAreKeptIfPartsAreAccepted(name: String) throws {
        let data = try Fixtures.data(named: name)
        let whole = try codec.decode(data, minimumSize: nil)
        let part = data.prefix(data.count - 1)
        let pixels = try codec.decode(part, minimumSize: nil, acceptsPartialImages: true)
        let rowBytes = whole.width * whole.format.bytesPerPixel
        #expect(pixels.packedBytes.dropLast(rowBytes) == whole.packedBytes.dropLast(rowBytes))
        let last = pixels.allSamples.suffix(whole.format.layout.channels)
        #expect(Array(last) == (whole.format == .rgba8Opaque ? [0, 0, 0, 255] : last.map { _ in 0 }))
    }

    @Test func emptyAndForeignFilesAreRefused() {
        #expect(codec.failure(of: Data()) == .truncated)
        #expect(codec.refusal("P") == .truncated)
        #expect(codec.refusal("P5") == .truncated)
        #expect(codec.refusal("hello world") == .corrupt("no PNM signature"))
        #expect(codec.refusal("P7\n") == .truncated)
        #expect(codec.refusal("P5 0 1 255\n") == .tooLarge(width: 0, height: 1))
    }

    // MARK: Limits

    @Test func hugeSizesAreRefusedBeforeMemoryIsTaken() {
        let most = Int(Int32.max)
        #expect(codec.refusal("P6 \(most) \(most) 255\n") == .tooLarge(width: most, height: most))
        #expect(codec.refusal("P6 2147483648 1 255\n") == .corrupt("a number that is too large"))
        let pam = "P7\nWIDTH \(most)\nHEIGHT \(most)\nDEPTH 4\nMAXVAL 255\nENDHDR\n"
        #expect(codec.refusal(pam) == .tooLarge(width: most, height: most))
        let before = ProcessStatus.residentBytes
        for kind in 1...6 {
            let size = kind == 1 || kind == 4 ? "10000 10000" : "10000 10000 65535"
            #expect(codec.refusal("P\(kind) \(size)\n1 0 1") == .truncated)
        }
        #expect(ProcessStatus.residentBytes - before < 200 << 20)
    }

    @Test func longCommentsAreMetadata() {
        let comment = "#" + String(repeating: "x", count: 2_000) + "\n"
        var limits = ImageLimits()
        limits.maximumMetadataBytes = 1_000
        let context = DecodingContext(limits: limits)
        #expect(codec.refusal("P2\n\(comment)1 1 255 9") == nil)
        #expect(context.run { codec.refusal("P2\n\(comment)1 1 255 9") } == .tooMuchMetadata)
        let pam = "P7\n\(comment)WIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n1"
        #expect(context.run { codec.refusal(pam) } == .tooMuchMetadata)
        let lines = "P7\n" + String(repeating: "WIDTH 1\n", count: 101)
        #expect(codec.refusal(lines) == .tooMuchMetadata)
    }
}
