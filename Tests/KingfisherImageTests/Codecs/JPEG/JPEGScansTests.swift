import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

/// Scans of a JPEG that arrives in pieces, and the images of files truncated after a scan.
@Suite struct JPEGScansTests {
    private static func small() throws -> Data { try Fixtures.data(named: "Progressive/small.jpg") }

    private func scans(of data: Data, pieces: () -> Int = { .max }) -> JPEGScans {
        var scans = JPEGScans()
        var rest = data[...]
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, pieces()))
            piece.withUnsafeBytes { scans.take($0) }
            rest = rest.dropFirst(piece.count)
        }
        return scans
    }

    private func expectSame(
        _ one: JPEGScans, _ other: JPEGScans, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(one.ends == other.ends, sourceLocation: sourceLocation)
        #expect(one.isProgressive == other.isProgressive, sourceLocation: sourceLocation)
        #expect(one.size == other.size, sourceLocation: sourceLocation)
        #expect(one.hasEnd == other.hasEnd && one.isOver == other.isOver, sourceLocation: sourceLocation)
        #expect(one.offset == other.offset, sourceLocation: sourceLocation)
    }

    /// The data up to the end of the given scan, followed by an end marker.
    private func cut(_ data: Data, behind scan: Int) throws -> Data {
        let ends = scans(of: data).ends
        try #require(ends.count >= scan)
        return data.prefix(ends[scan - 1]) + [0xFF, 0xD9]
    }

    @Test func findsProcessSizeScansAndEnd() throws {
        let data = try Self.small()
        let found = scans(of: data)
        #expect(found.isProgressive == true)
        #expect(found.size == PixelSize(width: 80, height: 56))
        #expect(found.ends.count == 10 && found.ends.last == data.count - 2)
        #expect(found.hasEnd && found.isOver && found.offset == data.count)
        #expect(found.ends == found.ends.sorted())
        for end in found.ends { #expect(data[end] == 0xFF && data[end + 1] != 0) }
    }

    @Test(arguments: [
        "Progressive/small.jpg", "Progressive/photo.jpg", "JPEG/restart.jpg", "JPEG/orientation-6.jpg",
    ])
    func piecesMayEndAnywhere(name: String) throws {
        let data = try Fixtures.data(named: name)
        let whole = scans(of: data)
        expectSame(scans(of: data) { 1 }, whole)
        var generator = SeededGenerator(seed: 28)
        for _ in 0..<20 {
            expectSame(scans(of: data) { Int.random(in: 1...300, using: &generator) }, whole)
        }
    }

    @Test func aScanIsCompleteOnceTheNextMarkerArrived() throws {
        let data = try Self.small()
        for (index, end) in scans(of: data).ends.enumerated() {
            #expect(scans(of: data.prefix(end + 1)).ends.count == index)
            #expect(scans(of: data.prefix(end + 2)).ends.count == index + 1)
        }
        #expect(!scans(of: data.dropLast()).hasEnd)
    }

    @Test func sequentialFilesAreDistinguishedFromProgressiveOnes() throws {
        let sequential = ["JPEG/420", "JPEG/three-scans", "JPEG/arithmetic", "JPEG/cmyk", "Photos/coffee"]
        for name in sequential {
            #expect(scans(of: try Fixtures.data(named: "\(name).jpg")).isProgressive == false)
        }
        #expect(scans(of: try Fixtures.data(named: "JPEG/gray-progressive.jpg")).isProgressive == true)
        #expect(scans(of: try Fixtures.data(named: "JPEG/three-scans.jpg")).ends.count == 3)
        #expect(scans(of: try Fixtures.data(named: "JPEG/restart.jpg")).ends.count == 1)
    }

    @Test func anEmbeddedThumbnailIsIgnored() throws {
        let data = try Self.small()
        let thumbnail = try Fixtures.data(named: "JPEG/444.jpg")
        let length = thumbnail.count + 2
        let segment = Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)]) + thumbnail
        let found = scans(of: data.prefix(2) + segment + data.dropFirst(2)) { 7 }
        #expect(found.isProgressive == true && found.ends.count == 10)
        #expect(found.ends == scans(of: data).ends.map { $0 + segment.count })
    }

    @Test func strayBytesAndFillBytesAreIgnored() throws {
        let data = try Self.small()
        let first = try #require(scans(of: data).ends.first)
        let parts = [
            data.prefix(2), Data([1, 2, 0xFF, 0]), data[2..<first], Data([0xFF, 0xFF]), data.dropFirst(first),
        ]
        let stray = Data(parts.joined())
        let found = scans(of: stray) { 3 }
        #expect(found.ends.count == 10 && found.hasEnd)
        #expect(try JPEGCodec().decode(cut(stray, behind: 1), minimumSize: nil).width == 80)
    }

    @Test func invalidFilesEndTheSearch() throws {
        let data = try Self.small()
        let frame = try #require(data.offset(of: [0xFF, 0xC2]))
        let scan = try #require(data.offset(of: [0xFF, 0xDA]))
        let broken: [Data] = [
            Data([0]), Data([0xFF, 0xD9]), try Fixtures.data(named: "PNG/rgba8.png"),
            data.prefix(2) + data.dropFirst(scan),  // a scan without a frame
            data.prefix(scan) + data[frame..<scan] + data.dropFirst(scan),  // two frames
            data.replacing([0, 1], at: frame + 2),  // a segment shorter than its length field
            data.prefix(scan) + data,  // another file
        ]
        for data in broken {
            let found = scans(of: data) { 5 }
            #expect(found.isOver && found.ends.isEmpty && !found.hasEnd)
        }
    }

    @Test func theSearchEndsAfterTheMaximumNumberOfScans() throws {
        let data = try Self.small()
        let ends = scans(of: data).ends
        let last = data[ends[8]..<ends[9]]
        let many = (0..<100_000).reduce(into: data.prefix(ends[9])) { data, _ in data += last }
        let found = scans(of: many)
        #expect(found.ends.count == JPEGScans.maximumScans && found.isOver && !found.hasEnd)
    }

    @Test func corruptFilesAreNotReadOutOfBounds() throws {
        let data = try Self.small()
        var generator = SeededGenerator(seed: 29)
        for _ in 0..<2_000 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                damaged[Int.random(in: 0..<data.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            let found = scans(of: damaged) { Int.random(in: 1...500, using: &generator) }
            expectSame(found, scans(of: damaged))
            #expect(
                found.ends == found.ends.sorted() && found.ends.allSatisfy { (2..<data.count).contains($0) })
        }
    }

    // MARK: Images

    private func expectClose(_ pixels: PixelBuffer, to name: String) throws {
        let reference = try JPEGDecoders.djpeg(name)
        try #require(pixels.size == reference.size)
        let differences = zip(Samples.premultiplied(pixels), Samples.premultiplied(reference)).map {
            abs(Int($0) - Int($1))
        }
        #expect(differences.max() ?? 0 <= 4)
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) <= 1)
    }

    @Test(arguments: 1...10) func theImageAfterEachScanMatchesDjpeg(scan: Int) throws {
        let file = try cut(Self.small(), behind: scan)
        try expectClose(JPEGCodec().decode(file, minimumSize: nil), to: "small-\(scan)")
    }

    @Test(arguments: [1, 4, 9]) func theImageAfterAScanAtHalfSizeMatchesDjpeg(scan: Int) throws {
        let file = try cut(Self.small(), behind: scan)
        let pixels = try JPEGCodec().decode(file, minimumSize: PixelSize(width: 40, height: 28))
        try expectClose(pixels, to: "small-\(scan)-half")
    }

    @Test(arguments: [1, 4, 9]) func theRotatedImageAfterAScanMatchesDjpeg(scan: Int) throws {
        let file = try cut(Fixtures.data(named: "Progressive/turned.jpg"), behind: scan)
        try expectClose(JPEGCodec().decode(file, minimumSize: nil), to: "turned-\(scan)")
    }
}
