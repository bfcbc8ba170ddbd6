import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Thumbnails of progressive files, decoded from their DC scans only.
@Suite struct JPEGCoarseFileTests {
    private let codec = JPEGCodec()
    private static let name = "Progressive/photo.jpg"
    private let eighth = PixelSize(width: 64, height: 64)

    private func photo() throws -> Data { try Fixtures.data(named: Self.name) }

    private func coarse(_ data: Data, maximumScans: Int = 500) throws -> JPEGCoarseFile? {
        try data.reading { reader throws(ImageCodecError) in
            JPEGCoarseFile(
                reader, frame: try JPEGFrameHeader(scanning: reader), maximumScans: maximumScans)
        }
    }

    private func left(of data: Data) throws -> Data {
        let coarse = try #require(try coarse(data))
        return try data.reading { reader throws(ImageCodecError) in coarse.bytes(of: reader) }
    }

    /// The offsets of the scan headers, and the first coefficient of each scan.
    private func scans(of data: Data) -> [(offset: Int, first: Int, end: Int)] {
        var walk = JPEGScans()
        data.withUnsafeBytes { walk.take($0) }
        return walk.ends.map { end in
            let offset = (0..<end).last { data[$0] == 0xFF && data[$0 + 1] == 0xDA } ?? 0
            return (offset, Int(data[offset + 5 + 2 * Int(data[offset + 4])]), end)
        }
    }

    // MARK: Images

    private func difference(_ pixels: PixelBuffer, from name: String) throws -> (largest: Int, mean: Double) {
        let reference = try PNGCodec().decode(
            Fixtures.data(named: "Progressive/\(name).png"), minimumSize: nil)
        try #require(pixels.size == reference.size)
        let differences = zip(Samples.premultiplied(pixels), Samples.premultiplied(reference)).map {
            abs(Int($0) - Int($1))
        }
        return (differences.max() ?? 0, Double(differences.reduce(0, +)) / Double(differences.count))
    }

    /// With full-resolution chroma, the AC scans do not affect an eighth of the size.
    @Test func fullChromaThumbnailsMatchDjpeg() throws {
        let data = try Fixtures.data(named: "Progressive/full-chroma.jpg")
        #expect(try left(of: data).count < data.count / 3)
        let size = PixelSize(width: 20, height: 14)
        let found = try difference(codec.decode(data, minimumSize: size), from: "full-chroma-eighth")
        #expect(found.largest <= 1)
    }

    /// With half-resolution chroma, an eighth of the size has four pixels a block, which differ in AC
    /// coefficients only.
    @Test func halfChromaThumbnailsAreCloseToDjpeg() throws {
        let found = try difference(codec.decode(photo(), minimumSize: eighth), from: "photo-eighth")
        #expect(found.mean < 2.5)
    }

    @Test(arguments: ["gray-progressive", "progressive-restart", "arithmetic-progressive", "progressive-444"])
    func everyPixelIsTheMeanOfItsBlock(name: String) throws {
        let data = try Fixtures.data(named: "JPEG/\(name).jpg")
        #expect(try left(of: data).count < data.count)
        let full = try codec.decode(data, minimumSize: nil)
        let small = try codec.decode(data, minimumSize: PixelSize(width: 6, height: 4))
        try #require(small.size == PixelSize(width: 6, height: 5))
        let channels = name.hasPrefix("gray") ? 1 : 3
        for y in 0..<4 {
            for x in 0..<6 {
                var sums = [0, 0, 0]
                for offset in 0..<64 {
                    let samples = try #require(full.samples(x: x * 8 + offset % 8, y: y * 8 + offset / 8))
                    for channel in 0..<channels { sums[channel] += samples[channel] }
                }
                let samples = try #require(small.samples(x: x, y: y))
                // Files with half-resolution chroma take the mean of four blocks; both means are clipped to
                // 0...255.
                let margin = name == "gray-progressive" || name == "progressive-444" ? 5 : 40
                for channel in 0..<channels { #expect(abs(samples[channel] - sums[channel] / 64) <= margin) }
            }
        }
    }

    @Test func rotatedImagesAreUpright() throws {
        let turned = try codec.decode(
            Fixtures.data(named: "Progressive/turned.jpg"), minimumSize: PixelSize(width: 7, height: 10))
        let plain = try codec.decode(
            Fixtures.data(named: "Progressive/small.jpg"), minimumSize: PixelSize(width: 10, height: 7))
        #expect(Samples.all(turned) == Samples.all(try plain.upright(from: .right)))
    }

    // MARK: Scans that are read

    @Test func onlyTheDCScansRemain() throws {
        let data = try photo()
        let (coarse, scans) = (try left(of: data), scans(of: data))
        let kept = scans.filter { $0.first == 0 }
        #expect(scans.count == 10 && kept.count == 2)
        let cut = scans.filter { $0.first > 0 }.reduce(0) { $0 + $1.end - $1.offset }
        #expect(coarse.count == data.count - cut)
        #expect(coarse.suffix(2) == Data([0xFF, 0xD9]))
        #expect(coarse.count < data.count / 4)
    }

    /// The photograph with corrupt AC scans, to show whether a decode reads them.
    private func damagedDetail() throws -> Data {
        var data = try photo()
        for scan in scans(of: data) where scan.first > 0 {
            for index in scan.offset + 10..<scan.end where data[index] != 0xFF && data[index - 1] != 0xFF {
                data[index] = 0x55
            }
        }
        return data
    }

    @Test func thumbnailsUpToAnEighthDoNotReadTheACScans() throws {
        let (data, damaged) = (try photo(), try damagedDetail())
        func pixels(_ data: Data, _ side: Double) throws -> [[Int]] {
            let image = try Image.downsample(data, to: CGSize(width: side, height: side), scale: 1)
            return Samples.all(try #require(image.pixels))
        }
        for side in [1.0, 20, 32, 42] { #expect(try pixels(damaged, side) == pixels(data, side)) }
        for side in [43.0, 64, 200] { #expect((try? pixels(damaged, side)) != (try pixels(data, side))) }
    }

    @Test(arguments: [
        (300, true, 1), (333, true, 1), (334, true, 2), (500, true, 2), (501, true, 4), (1, true, 1),
        (300, false, 2), (250, false, 1), (251, false, 2), (2_001, false, 8), (4_000, true, 8),
    ]) func progressiveFilesUseAnEighthUpToOneAndAHalfTimesItsSize(
        width: Int, isProgressive: Bool, eighths: Int
    ) {
        let full = PixelSize(width: 4_000, height: 3_000)
        let target = PixelSize(width: width, height: max(1, width * 3 / 4))
        #expect(
            JPEGScale(shrinking: full, to: target, isProgressive: isProgressive).eighths == eighths)
    }

    // MARK: Corrupt files

    @Test func filesTruncatedAnywhereAreErrors() throws {
        let data = try photo()
        for step in 0..<64 {
            let cut = data.prefix(16 + (data.count - 17) * step / 63)
            #expect(throws: ImageCodecError.truncated) {
                try Image.downsample(cut, to: CGSize(width: 20, height: 20), scale: 1)
            }
        }
        let end = try #require(scans(of: data).last?.end)
        #expect(try coarse(data.prefix(end)) == nil)
    }

    @Test func invalidFilesAreLeftToLibjpeg() throws {
        let data = try photo()
        let scans = scans(of: data)
        let (dc, ac) = (scans[0], try #require(scans.first { $0.first > 0 }))
        let refinement = try #require(scans.last { $0.first > 0 })
        func header(_ scan: (offset: Int, first: Int, end: Int), _ index: Int, _ byte: UInt8) -> Data {
            let parameters = scan.offset + 5 + 2 * Int(data[scan.offset + 4])
            return data.replacing([byte], at: parameters + index)
        }
        let component = ac.offset + 5
        let frame = try #require(data.offset(of: [0xFF, 0xC2]))
        let broken: [String: Data] = [
            "a coefficient above 63": header(ac, 1, 64),
            "the last coefficient before the first": header(ac, 1, 0),
            "DC with AC": header(dc, 1, 5),
            "too many bits": header(ac, 2, 0x0E),
            "refinement of several bits at once": header(refinement, 2, 0x31),
            "refinement before the first scan": header(ac, 2, 0x21),
            "an undeclared component": data.replacing([77], at: component),
            "AC before DC": data.prefix(dc.offset) + data.dropFirst(dc.end),
            "two frames": data.prefix(dc.end) + data[frame..<dc.offset] + data.dropFirst(dc.end),
            "an image in the image": data.prefix(dc.end) + [0xFF, 0xD8] + data.dropFirst(dc.end),
            "a segment without length": data.prefix(dc.end) + [0xFF, 0xDB, 0, 1] + data.dropFirst(dc.end),
        ]
        for (name, file) in broken {
            #expect(try coarse(file) == nil, "\(name)")
            let whole = #expect(throws: ImageCodecError.self) { try codec.decode(file, minimumSize: nil) }
            let small = #expect(throws: ImageCodecError.self) { try codec.decode(file, minimumSize: eighth) }
            #expect(small == whole, "\(name)")
        }
        #expect(try coarse(data, maximumScans: 10) != nil)
        #expect(try coarse(data, maximumScans: 9) == nil)
        let sequential = try Fixtures.data(named: "JPEG/three-scans.jpg")
        #expect(try coarse(sequential) == nil)
        let dcOnly = try left(of: data)
        #expect(try coarse(dcOnly) == nil)
    }

    /// For any corrupt file, decoding an eighth fails only if decoding the whole fails, with the same reason.
    @Test func anEighthFailsWithTheReasonOfTheWholeImage() throws {
        let data = try Fixtures.data(named: "Progressive/small.jpg")
        var generator = SeededGenerator(seed: 37)
        var failures = 0
        for _ in 0..<1_500 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                damaged[Int.random(in: 2..<data.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            do throws(ImageCodecError) {
                _ = try codec.decode(damaged, minimumSize: PixelSize(width: 10, height: 7))
            } catch {
                failures += 1
                let whole = #expect(throws: ImageCodecError.self) {
                    try codec.decode(damaged, minimumSize: nil)
                }
                // A file with several faults may fail with either.
                #expect((error == .truncated) == (whole == .truncated))
            }
        }
        #expect(failures > 100)
    }
}
