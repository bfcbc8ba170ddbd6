import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Thousands of files whose pixels and verdicts are compared with libjpeg's.
///
/// `KINGFISHER_SOAK=1` decodes 50,000 corrupt files.
@Suite(.timeLimit(.minutes(10))) struct JPEGDifferentialTests {
    private static let parts = 8
    private static let generatedCount = 2_000
    private static let corruptCount =
        ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 2_000 : 50_000

    private typealias Way = JPEGDecoders.Way

    @Test("Generated files have libjpeg's pixels at an eighth and at full size", arguments: 0..<parts)
    func generated(part: Int) throws {
        var (large, refused, full) = (0, 0, 0)
        for number in stride(from: part, to: Self.generatedCount, by: Self.parts) {
            // libjpeg does not write more than ten blocks in an MCU.
            guard let file = GeneratedJPEG.file(number) else {
                refused += 1
                continue
            }
            if file.count > 50_000 { large += 1 }
            let expected = try JPEGDecoders.libjpeg(file)
            #expect(expected != .none)
            let ways = [Way(), Way(streams: 1), Way(sectionBytes: 20_000, hasThread: number % 4 == 0)]
            for way in ways {
                #expect(try JPEGDecoders.own(file, 1, way) == expected, "file \(number), \(way)")
            }
            // Some sampling factors are left to libjpeg at full size.
            let way = ways[number / Self.parts % ways.count], found = try JPEGDecoders.own(file, 8, way)
            guard found != .none else { continue }
            full += 1
            #expect(try found == JPEGDecoders.libjpeg(file, 8), "file \(number), \(way), full size")
        }
        #expect(full > Self.generatedCount / Self.parts / 3)
        #expect(large > 0 && refused < Self.generatedCount / Self.parts / 3)
    }

    @Test("Generated progressive files have libjpeg's pixels at an eighth", arguments: 0..<parts)
    func generatedProgressive(part: Int) throws {
        for number in stride(from: part, to: Self.generatedCount / 4, by: Self.parts) {
            guard let file = GeneratedJPEG.file(number, isProgressive: true) else { continue }
            let found = try #require(try JPEGDecoders.coarse(file))
            #expect(found.own != .none)
            #expect(found.own == found.libjpeg, "file \(number)")
        }
    }

    /// The fixtures that are left to libjpeg at any scale: four components, RGB, arithmetic codes, three
    /// scans, and sampling factors above 2.
    private static let others: Set = [
        "Color/cmyk.jpg", "Color/ycck.jpg", "JPEG/cmyk.jpg", "JPEG/ycck.jpg", "JPEG/rgb.jpg",
        "JPEG/arithmetic.jpg", "JPEG/arithmetic-progressive.jpg", "JPEG/three-scans.jpg", "JPEG/410.jpg",
        "JPEG/411.jpg", "JPEG/441.jpg", "JPEG/thirds.jpg",
    ]
    /// Those that are left to it at full size only, besides progressive ones.
    private static let tooNarrowOrCoarse: Set = ["JPEG/1x1.jpg", "JPEG/1x20.jpg", "JPEG/finer-chroma.jpg"]

    @Test("All JPEG fixtures have libjpeg's pixels, and only the listed ones are left to it")
    func fixtures() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: Fixtures.url(named: "").path)
            .filter { ["jpg", "jpeg"].contains(URL(fileURLWithPath: $0).pathExtension) }
        #expect(names.count >= 66)
        var leftAtAnEighth: Set<String> = [], leftAtFullSize: Set<String> = []
        for name in names {
            let file = try Fixtures.data(named: name), coarse = try JPEGDecoders.coarse(file)
            let own = try coarse?.own ?? JPEGDecoders.own(file)
            let expected = try coarse?.libjpeg ?? JPEGDecoders.libjpeg(file)
            if own == .none { leftAtAnEighth.insert(name) } else { #expect(own == expected, "\(name)") }
            guard coarse == nil else { continue }
            let full = try JPEGDecoders.own(file, 8)
            if full == .none {
                leftAtFullSize.insert(name)
            } else {
                #expect(try full == JPEGDecoders.libjpeg(file, 8), "\(name)")
            }
        }
        #expect(leftAtAnEighth == Self.others)
        #expect(leftAtFullSize.subtracting(Self.others) == Self.tooNarrowOrCoarse)
    }

    @Test("Colours are those of the segments before the first scan")
    func lateAdobeSegment() throws {
        func adobe(transform: UInt8) -> [UInt8] {
            [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform]
        }
        let files = (0..<20).compactMap { GeneratedJPEG.file($0, isProgressive: true) }
        let file = try #require(
            files.first { file in
                (try? file.reading(JPEGFrameHeader.init(scanning:)))?.components == 3
                    && !file.prefix(20).contains(UInt8(ascii: "J"))
            })
        let scans = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
        var data = [UInt8](file)
        data.insert(contentsOf: adobe(transform: 1), at: scans[1])
        // The last segment before the scan counts.
        data.insert(contentsOf: adobe(transform: 0), at: scans[0])
        let rgb = try #require(try JPEGDecoders.coarse(Data(data)))
        #expect(rgb.own == .none && rgb.libjpeg != .none)
        data[scans[0] + 15] = 1
        data[scans[1] + 16 + 15] = 0
        let color = try #require(try JPEGDecoders.coarse(Data(data)))
        #expect(color.own != .none && color.own == color.libjpeg)
    }

    @Test("A segment that libjpeg does not know is left to libjpeg", arguments: [0x02, 0xBF, 0xF0, 0xFD])
    func unknownSegments(code: UInt8) throws {
        let segment = Data([0xFF, code, 0, 2])
        let file = try #require(GeneratedJPEG.file(5)),
            baseline = file.prefix(2) + segment + file.dropFirst(2)
        #expect(try JPEGDecoders.own(file) != .none)
        #expect(try JPEGDecoders.own(baseline) == .none)
        let other = try #require(GeneratedJPEG.file(5, isProgressive: true))
        let progressive = try #require(
            try JPEGDecoders.coarse(other.prefix(2) + segment + other.dropFirst(2)))
        #expect(progressive.own == .none && progressive.libjpeg == .none)
    }

    @Test("Fill bytes before a stuffed byte are left to libjpeg, those before markers are skipped")
    func fillBytes() throws {
        let file = try Fixtures.data(named: "JPEG/restart-mcus.jpg")
        let scan = try #require(file.firstRange(of: Data([0xFF, 0xDA])))
        for (code, isDecoded) in [(UInt8(0), false), (0xD0, true), (0xD9, true)] {
            let place = try #require(file[scan.upperBound...].firstRange(of: Data([0xFF, code])))
            var filled = file
            filled.insert(contentsOf: [0xFF, 0xFF], at: place.lowerBound)
            for eighths in [1, 8] {
                let found = try JPEGDecoders.own(filled, eighths)
                #expect(try found == (isDecoded ? JPEGDecoders.libjpeg(filled, eighths) : .none))
            }
        }
    }

    @Test("Corrupt files have libjpeg's verdict and pixels, by one and by four streams", arguments: 0..<parts)
    func corrupt(part: Int) throws {
        var generator = SeededGenerator(seed: UInt64(part))
        var (accepted, refused, file) = (0, 0, Data())
        for round in 0..<Self.corruptCount / Self.parts {
            if round % 20 == 0 { file = Self.file(&generator, isProgressive: false) }
            let data = Self.corrupted(file, &generator)
            let eighths = [1, 2, 4, 8][round % 4]
            let one = try JPEGDecoders.own(data, eighths, Way(streams: 1))
            let way = Way(sectionBytes: 20_000, hasThread: round % 8 == 0)
            #expect(try JPEGDecoders.own(data, eighths, way) == one, "round \(round), \(way)")
            if one == .none {
                refused += 1
            } else {
                accepted += 1
                let expected = try JPEGDecoders.libjpeg(data, eighths)
                let hasSamePixels = eighths == 1 || eighths == 8
                #expect(hasSamePixels ? expected == one : expected != .none, "round \(round)")
            }
        }
        #expect(accepted > 5 && refused > 5)
        #expect(ProcessStatus.isSanitized || ProcessStatus.peakResidentBytes < 1 << 30)
    }

    /// For files of at least 64 KiB, which the codec decodes by our decoder if C code is optimized.
    @Test("Large corrupt files have libjpeg's errors and pixels through the codec", arguments: 0..<parts)
    func corruptThroughCodec(part: Int) throws {
        var generator = SeededGenerator(seed: UInt64(200 + part))
        var (decoded, rejected, file) = (0, 0, Data())
        for round in 0..<Self.corruptCount / Self.parts / 4 {
            let isNew = round % 9 == 0
            if isNew { file = Self.file(&generator, isProgressive: false, bytes: 80_000...250_000) }
            let data = isNew ? file : Self.corrupted(file, &generator)
            let eighths = [1, 8, 2, 4][round % 4]
            func result(isOptimized: Bool) -> Result<Data, ImageCodecError> {
                JPEGDecoders.codec(
                    data, eighths, isFiltered: round % 3 == 0, acceptsPart: round % 5 == 0,
                    isOptimized: isOptimized)
            }
            let (own, libjpeg) = (result(isOptimized: true), result(isOptimized: false))
            let hasSamePixels = eighths == 1 || eighths == 8
            #expect(
                hasSamePixels ? own == libjpeg : own.map(\.count) == libjpeg.map(\.count), "round \(round)")
            guard try JPEGDecoders.isUsed(data, eighths) else { continue }
            if case .success = own { decoded += 1 } else { rejected += 1 }
        }
        #expect(decoded > 3 && rejected > 3, "\(decoded), \(rejected)")
    }

    @Test(
        "A restart marker after a complete DC scan has libjpeg's pixels if it is out of order",
        arguments: ["Progressive/small.jpg", "JPEG/progressive-restart.jpg"])
    func restartAfterScan(name: String) throws {
        let file = try Fixtures.data(named: name)
        let scan = try #require(file.firstRange(of: Data([0xFF, 0xDA]))).upperBound
        let markers = file.indices.dropLast().filter { $0 > scan && file[$0] == 0xFF && file[$0 + 1] != 0 }
        let restarts = markers.prefix { (0xD0...0xD7).contains(file[$0 + 1]) }.count
        for number in 0..<8 {
            var data = file
            data.insert(contentsOf: [0xFF, UInt8(0xD0 + number)], at: markers[restarts])
            let found = try #require(try JPEGDecoders.coarse(data))
            #expect(found.libjpeg != .none)
            // One in order begins an interval that the scan has no blocks for.
            #expect(found.own == (number == restarts % 8 ? .none : found.libjpeg), "\(number)")
        }
    }

    @Test("Corrupt progressive files have libjpeg's pixels, or are left to it", arguments: 0..<parts)
    func corruptProgressive(part: Int) throws {
        var generator = SeededGenerator(seed: UInt64(100 + part))
        var (accepted, refused, file) = (0, 0, Data())
        for round in 0..<Self.corruptCount / Self.parts / 2 {
            if round % 20 == 0 { file = Self.file(&generator, isProgressive: true) }
            guard let found = try JPEGDecoders.coarse(Self.corrupted(file, &generator)), found.own != .none
            else {
                refused += 1
                continue
            }
            accepted += 1
            #expect(found.own == found.libjpeg, "round \(round)")
        }
        #expect(accepted > 5 && refused > 5)
    }

    private static func file(
        _ generator: inout SeededGenerator, isProgressive: Bool, bytes: ClosedRange<Int> = 0...(.max)
    ) -> Data {
        for _ in 0..<1_000 {
            let number = Int(generator.next() >> 32)
            guard let file = GeneratedJPEG.file(number, isProgressive: isProgressive),
                bytes.contains(file.count)
            else { continue }
            return file
        }
        return Data()
    }

    /// One or several changes of bits, bytes, lengths and markers, or a truncation.
    private static func corrupted(_ data: Data, _ generator: inout SeededGenerator) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...3, using: &generator) where bytes.count > 4 {
            let place = Int.random(in: 2..<bytes.count, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes[place] = .random(in: 0...255, using: &generator)
            case 3: bytes.remove(at: place)
            case 4: bytes.insert(.random(in: 0...255, using: &generator), at: place)
            case 5: bytes.removeLast(bytes.count - place)
            default:
                let marker: [UInt8] = [0xFF, .random(in: 0xD0...0xD9, using: &generator)]
                bytes.replaceSubrange(place..<place, with: marker)
            }
        }
        return Data(bytes)
    }
}
