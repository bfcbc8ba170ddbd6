import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Truncated PNGs, if the caller accepts partial images.
@Suite struct PartialPNGTests {
    private let codec = PNGCodec()

    private func part(_ data: Data, minimumSize: PixelSize? = nil) throws(ImageCodecError) -> PixelBuffer {
        try codec.decode(data, minimumSize: minimumSize, acceptsPartialImages: true)
    }

    /// The number of rows that match the whole image, and whether the remaining rows are blank.
    private func rows(of part: PixelBuffer, from whole: PixelBuffer) -> (came: Int, othersAreBlank: Bool) {
        let (rows, expected) = ([part, whole].map { Samples.all($0) }).pair
        let width = part.width
        let came =
            (0..<part.height).first {
                rows[$0 * width..<($0 + 1) * width] != expected[$0 * width..<($0 + 1) * width]
            } ?? part.height
        let top = part.format.depth == .eight ? 255 : 65_535
        let blank =
            [0, 0, 0, part.format.isOpaque && part.format.layout == .rgba ? top : 0]
            .suffix(part.format.layout.channels)
        return (came, rows[(came * width)...].allSatisfy { $0 == Array(blank) })
    }

    @Test(arguments: [
        "gray8", "gray16", "grayalpha8", "rgb8", "rgb16", "rgba8", "rgba16", "palette8", "palette4-trns",
        "rgb8-trns", "gray1",
    ])
    func theRowsThatArrivedAreDecoded(name: String) throws {
        let data = try Fixtures.data(named: "PNG/\(name).png")
        let whole = try codec.decode(data, minimumSize: nil)
        var most = 0
        for count in stride(from: 9, to: data.count, by: 7) {
            guard let pixels = try? part(data.prefix(count)) else { continue }
            #expect(pixels.size == whole.size && pixels.format == whole.format)
            let (came, othersAreBlank) = rows(of: pixels, from: whole)
            #expect(othersAreBlank, "\(count) bytes")
            // Rows of the image may be blank themselves; a decreasing number means lost rows.
            #expect(came >= most)
            most = came
        }
        #expect(most > whole.height / 2)
    }

    @Test(arguments: ["rgb8-adam7", "rgba16-adam7", "palette8-adam7"]) func thePassesThatArrivedAreDecoded(
        name: String
    ) throws {
        let data = try Fixtures.data(named: "PNG/\(name).png")
        let whole = Samples.all(try codec.decode(data, minimumSize: nil))
        let pixels = Samples.all(try part(data.prefix(data.count * 2 / 3)))
        let right = zip(pixels, whole).filter { $0 == $1 }.count
        #expect(right > whole.count / 8 && right < whole.count)
    }

    @Test func wholeFilesAreDecodedAsUsual() throws {
        let data = try Fixtures.data(named: "PNG/rgb8.png")
        #expect(try part(data).packedBytes == codec.decode(data, minimumSize: nil).packedBytes)
        let last = data.count - 14
        #expect(throws: ImageCodecError.self) { try part(data.replacing([data[last] ^ 1], at: last)) }
    }

    @Test func aFileWithoutACompleteRowIsAnError() throws {
        let data = try Fixtures.data(named: "PNG/rgb8.png")
        let start = try #require(data.offset(of: Array("IDAT".utf8)))
        for count in [8, 20, 33, start, start + 4, start + 6] {
            #expect(throws: ImageCodecError.truncated) { try part(data.prefix(count)) }
        }
    }

    /// Only the end of the data may be missing; corruption before it is an error.
    @Test func corruptChunksAreErrors() {
        var generator = SeededGenerator(seed: 2)
        let maker = PNGMaker(9, 40, colorType: 2, using: &generator) { UInt8($0 % 5) }
        let stream = maker.stream
        let file = maker.chunks(data: [Array(stream[..<400]), Array(stream[400...])]).file
        #expect(throws: Never.self) { try part(file.prefix(600)) }
        #expect(throws: ImageCodecError.corrupt("a chunk with a wrong checksum")) {
            try part(file.prefix(600).replacing([file[300] ^ 1], at: 300))
        }
    }

    /// Decoded by the fast path, and by libspng, which handles files with one transparent grey.
    @Test(arguments: [true, false], [nil, PixelSize(width: 20, height: 16)])
    func corruptStreamsAreErrors(isOwn: Bool, minimum: PixelSize?) throws {
        var generator = SeededGenerator(seed: 6)
        let maker = PNGMaker(400, 200, colorType: isOwn ? 4 : 0, using: &generator) { UInt8($0 % 5) }
        func cut(_ stream: [UInt8]) -> Data {
            var list = maker.chunks(data: [stream])
            if !isOwn { list.chunks.insert(.init(type: "tRNS", data: [0, 7]), at: 1) }
            return list.file.dropLast(12)
        }
        func expectCorrupt(_ stream: [UInt8], _ fault: Comment) {
            let error = #expect(throws: ImageCodecError.self, fault) {
                try part(cut(stream), minimumSize: minimum)
            }
            if case .corrupt = error { return }
            Issue.record("\(String(describing: error)) instead of corrupt")
        }
        let stream = maker.stream
        #expect(throws: Never.self) { try part(cut(stream), minimumSize: minimum) }
        // Part of the checksum arrived, or of the second of two stored blocks.
        #expect(throws: Never.self) { try part(cut(stream.dropLast()), minimumSize: minimum) }
        #expect(throws: Never.self) { try part(cut(Array(stream.prefix(70_000))), minimumSize: minimum) }

        var wrongFilter = maker
        wrongFilter.rows[5 * maker.rows.count / 200] = 9
        expectCorrupt(wrongFilter.stream, "an unknown filter")
        var wrongChecksum = stream
        wrongChecksum[stream.count - 1] ^= 1
        expectCorrupt(wrongChecksum, "a wrong checksum")
        var wrongBlock = stream
        wrongBlock[2 + 5 + 65_535 + 1] ^= 1
        expectCorrupt(wrongBlock, "a corrupt block")
    }

    @Test func partialImagesAreShrunk() throws {
        var generator = SeededGenerator(seed: 4)
        let maker = PNGMaker(200, 160, colorType: 2, using: &generator) { _ in 0 }
        let cut = maker.file.prefix(maker.rows.count / 2)
        let small = try part(cut, minimumSize: PixelSize(width: 25, height: 20))
        #expect(small.size == PixelSize(width: 50, height: 40))
        #expect(small.samples(x: 10, y: 39) == [0, 0, 0, 255])
        #expect(small.samples(x: 10, y: 10) != [0, 0, 0, 255])
    }
}

extension Array {
    fileprivate var pair: (Element, Element) { (self[0], self[1]) }
}
