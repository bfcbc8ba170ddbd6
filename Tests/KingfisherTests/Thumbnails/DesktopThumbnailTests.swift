import Foundation
import Glibc
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

@Suite struct DesktopThumbnailTests {
    private typealias Failure = DesktopThumbnailProvider.DesktopThumbnailError

    @Test(
        "A thumbnail is stored as the specification requires",
        arguments: [
            (DesktopThumbnailSize.normal, "normal", [0, 128, 0, 85]), (.large, "large", [1, 0, 0, 171]),
        ])
    func stored(size: DesktopThumbnailSize, folder: String, sides: [UInt8]) async throws {
        let rig = try ThumbnailRig()
        let data = try await rig.load(size)
        let entry = try rig.entry(folder)
        #expect(try Data(contentsOf: entry) == data)
        #expect(rig.entries == ["\(folder)/\(entry.lastPathComponent)"])
        // Width and height, then 8 bits, RGBA, deflate, filters, not interlaced.
        let expected: [UInt8] = sides + [8, 6, 0, 0, 0]
        #expect(Array(data[18..<20]) + Array(data[22..<29]) == expected)
        let texts = ThumbnailRig.texts(of: data)
        #expect(
            texts == [
                "Thumb::URI": "file://\(rig.file.path)", "Thumb::MTime": "1600000000",
                "Thumb::Size": "\(try Data(contentsOf: rig.file).count)", "Thumb::Mimetype": "image/jpeg",
                "Thumb::Image::Width": "512", "Thumb::Image::Height": "341",
                "Software": "Kingfisher \(kingfisherVersion)",
            ])
        #expect(ThumbnailRig.mode(of: entry) == 0o600)
        for made in ["cache", "cache/thumbnails", "cache/thumbnails/\(folder)"] {
            #expect(ThumbnailRig.mode(of: rig.temporary.url.appending(path: made)) == 0o700)
        }
    }

    @Test("A valid thumbnail of another program is supplied unchanged")
    func foreign() async throws {
        let rig = try ThumbnailRig()
        let uri = "file://\(rig.file.path)"
        for texts: KeyValuePairs in [
            ["Thumb::URI": uri, "Thumb::MTime": "1600000000"],
            ["Software": "other", "Thumb::MTime": "1600000000.250000", "Thumb::URI": uri],
        ] {
            let foreign = ThumbnailRig.foreign(texts)
            try rig.store(foreign)
            #expect(try await rig.load() == foreign)
        }
    }

    @Test("A thumbnail that other programs made is supplied if no codec recognizes the file")
    func unknownFormat() async throws {
        let rig = try ThumbnailRig()
        try Data("%PDF-1.7 is no image".utf8).write(to: rig.file)
        try ThumbnailRig.setModificationDate(ThumbnailRig.photographed, of: rig.file)
        #expect(await rig.failure() == .unknownFormat)
        // Another program may have the codec.
        #expect(rig.entries == [])
        let foreign = ThumbnailRig.foreign([
            "Thumb::URI": "file://\(rig.file.path)", "Thumb::MTime": "1600000000",
        ])
        try rig.store(foreign)
        #expect(try await rig.load() == foreign)
    }

    enum Defect: String, CaseIterable {
        case otherFile, otherTime, otherSize, noTime, noURI, notAPNG, truncated, corrupt, tooLarge, animated
        case empty
    }

    @Test("An invalid thumbnail is replaced", arguments: Defect.allCases)
    func invalid(defect: Defect) async throws {
        let rig = try ThumbnailRig()
        let uri = ("Thumb::URI", "file://\(rig.file.path)")
        let time = ("Thumb::MTime", "1600000000")
        func made(_ texts: (String, String)..., side: Int = 256) -> Data {
            texts.reduce(ThumbnailRig.foreign(side: side, [:])) { png, text in
                png.prefix(33) + HostileFile.pngChunk("tEXt", Data("\(text.0)\0\(text.1)".utf8))
                    + png.dropFirst(33)
            }
        }
        let valid = made(uri, time)
        let entry: Data =
            switch defect {
            case .otherFile: made(("Thumb::URI", "file:///tmp/other.jpg"), time)
            case .otherTime: made(uri, ("Thumb::MTime", "1600000001"))
            case .otherSize: made(uri, time, ("Thumb::Size", "1"))
            case .noTime: made(uri)
            case .noURI: made(time)
            case .notAPNG: try Data(contentsOf: rig.file)
            case .truncated: valid.prefix(valid.count - 20)
            case .corrupt: try Self.corrupted(valid)
            case .tooLarge: made(uri, time, side: 257)
            case .animated: try Self.animated(uri, time)
            case .empty: Data()
            }
        try rig.store(entry)
        let data = try await rig.load()
        #expect(data != entry && data.kf.imageInfo?.height == 171)
        #expect(try Data(contentsOf: rig.entry()) == data)
    }

    /// Changes compressed pixels and corrects the checksum.
    private static func corrupted(_ png: Data) throws -> Data {
        let start = try #require(png.firstRange(of: Data("IDAT".utf8))).lowerBound - 4
        return png.prefix(start) + HostileFile.pngChunk("IDAT", Data([0x78, 0x01, 7, 7, 7, 7]))
            + HostileFile.pngChunk("IEND", Data())
    }

    private static func animated(_ texts: (String, String)...) throws -> Data {
        let png = try TestImages.apng
        return texts.reduce(png) { png, text in
            png.prefix(33) + HostileFile.pngChunk("tEXt", Data("\(text.0)\0\(text.1)".utf8))
                + png.dropFirst(33)
        }
    }

    @Test("A thumbnail is made again after the file has changed")
    func changed() async throws {
        let rig = try ThumbnailRig()
        let first = try await rig.load()
        #expect(try await rig.load() == first)
        try Fixtures.data(named: "Photos/astronaut.jpg").write(to: rig.file)
        try ThumbnailRig.setModificationDate(ThumbnailRig.photographed + 1, of: rig.file)
        let second = try await rig.load()
        #expect(second != first)
        #expect(ThumbnailRig.texts(of: second)["Thumb::MTime"] == "1600000001")
        #expect(try Data(contentsOf: rig.entry()) == second)
    }

    @Test("A file that changed less than two seconds ago gets a thumbnail that is not stored")
    func unsettled() async throws {
        let clock = ManualClock(ThumbnailRig.photographed + 1.9)
        let rig = try ThumbnailRig(clock: clock)
        #expect(try await rig.load().kf.imageInfo?.width == 256)
        #expect(rig.entries == [])
        clock.advance(by: 0.1)
        _ = try await rig.load()
        #expect(rig.entries.count == 1)
    }

    @Test("A file that changed after it was opened is noticed")
    func changedWhileRead() throws {
        let rig = try ThumbnailRig()
        let file = try #require(ImageFile(rig.file))
        #expect(file.isUnchanged)
        let handle = try FileHandle(forWritingTo: rig.file)
        try handle.write(contentsOf: Data([0]))
        #expect(!file.isUnchanged)
    }

    @Test("An image that is not larger than its thumbnail is supplied upright and not stored")
    func small() async throws {
        let rig = try ThumbnailRig("Orientation/exif-6.png")
        let image = try TestImages.image(await rig.load(.normal))
        let expected = try Fixtures.data(named: "Orientation/exif-6.png.rgba")
        let pixels = try #require(image.pixels)
        var samples: [UInt8] = []
        for y in 0..<pixels.height {
            for x in 0..<pixels.width {
                samples += (pixels.samples(x: x, y: y) ?? []).map { UInt8($0) }
            }
        }
        #expect(Data(samples) == expected)
        #expect(rig.entries == [])
    }

    @Test("A file in the thumbnail cache gets no thumbnail of its own, even through a link")
    func ownFiles() async throws {
        let rig = try ThumbnailRig()
        _ = try await rig.load(.large)
        let own = try rig.entry("large")
        let link = rig.temporary.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: rig.folder)
        try ThumbnailRig.setModificationDate(ThumbnailRig.photographed, of: own)
        for file in [own, link.appending(path: "large/\(own.lastPathComponent)")] {
            #expect(try await rig.load(.normal, of: file).kf.imageInfo?.width == 128)
        }
        #expect(rig.entries == ["large/\(own.lastPathComponent)"])
    }

    @Test("The thumbnail of a link has the link's URI and the target's modification time")
    func link() async throws {
        let rig = try ThumbnailRig()
        let link = rig.temporary.url.appending(path: "link.jpg")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: rig.file)
        let texts = ThumbnailRig.texts(of: try await rig.load(of: link))
        #expect(texts["Thumb::URI"] == "file://\(link.path)" && texts["Thumb::MTime"] == "1600000000")
        let other = rig.temporary.url.appending(path: "other")
        try FileManager.default.createSymbolicLink(at: other, withDestinationURL: rig.temporary.url)
        #expect(await rig.failure(of: other) == .unreadable)
    }

    @Test("A link in place of a thumbnail is replaced, and its target keeps its content")
    func linkInCache() async throws {
        let rig = try ThumbnailRig()
        try rig.store(Data())
        let entry = try rig.entry()
        try FileManager.default.removeItem(at: entry)
        let target = rig.temporary.url.appending(path: "target")
        try Data([1]).write(to: target)
        try FileManager.default.createSymbolicLink(at: entry, withDestinationURL: target)
        let data = try await rig.load()
        #expect(try Data(contentsOf: target) == Data([1]) && Data(contentsOf: entry) == data)
        #expect(ThumbnailRig.mode(of: entry) == 0o600)
    }

    @Test("Concurrent loads of one file store one complete thumbnail")
    func concurrent() async throws {
        let rig = try ThumbnailRig()
        let loaded = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<16 { group.addTask { try await rig.load() } }
            return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
        }
        #expect(loaded.count == 1 && rig.entries.count == 1)
        #expect(try Data(contentsOf: rig.entry()) == loaded.first)
    }
}
