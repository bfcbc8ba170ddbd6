import Foundation
import KingfisherRAW
import KingfisherTestSupport
import TestHelpers
import Testing

/// Our pixels against Pillow's, of the preview that ExifTool finds (`Tests/Fixtures/generate/raw.py`).
@Suite struct PreviewTests {
    private static let names = Fixtures.names(in: "RAW", withExtension: "rgba").map { String($0.dropLast(5)) }
    private static let stored = PixelSize(width: 48, height: 32)

    private let codec = RAWCodec()

    @Test func `Each kind of file has a reference`() {
        let kinds = Set(Self.names.compactMap { $0.split(separator: ".").last.map(String.init) })
        #expect(kinds == Set(RAWCodec().fileExtensions))
        #expect(Self.names.count == 24)
    }

    @Test(arguments: names)
    func `The largest preview is shown, turned as the RAW file says`(name: String) throws {
        let data = try Fixtures.data(named: name)
        #expect(data.withUnsafeBytes(codec.matches))
        let header = try codec.header(of: data)
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(pixels.size == header.displaySize)
        let reference = [UInt8](try Fixtures.data(named: name + ".rgba"))
        let bytes = try pixels.converted(to: .rgba8Straight).packedBytes
        try #require(bytes.count == reference.count)
        #expect(zip(bytes, reference).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
        #expect(!header.hasAlpha && !header.isLossless && header.frameCount == 1)
    }

    @Test(arguments: names)
    func `A smaller image is decoded at an eighth of the size, and with less memory`(name: String) throws {
        let data = try Fixtures.data(named: name)
        let header = try codec.header(of: data)
        guard header.size == Self.stored else { return }
        let eighth = PixelSize(width: 6, height: 4)
        let target = header.orientation.swapsSides ? eighth.swapped : eighth
        #expect(try codec.decode(data, minimumSize: target).size == target)
        #expect(try codec.decode(data, shrunkTo: target).size == target)
        let decoder = try codec.open(EncodedFile(data))
        #expect(decoder.memory(for: .atLeast(target)) < decoder.memory(for: .full) / 4)
    }

    @Test func `The orientation of the RAW file replaces the orientation of the preview`() throws {
        func orientation(_ name: String) throws -> Image.Orientation {
            try codec.header(of: Fixtures.data(named: "RAW/\(name)")).orientation
        }
        #expect(try orientation("nikon-twice.nef") == .right)
        #expect(try orientation("nikon-inner.nef") == .leftMirrored)
        #expect(try orientation("panasonic.rw2") == .right)
        #expect(try orientation("panasonic-inner.rw2") == .left)
        #expect(try orientation("fuji.raf") == .right)
    }

    @Test(arguments: [
        ("canon.cr2", "Canon EOS 0D"), ("nikon.nef", "NIKON D0"), ("panasonic.rw2", "DMC-0"),
        ("canon.cr3", "Canon EOS R0"),
    ])
    func `The metadata are those of the RAW file`(name: String, model: String) throws {
        let metadata = try ImageMetadata(of: Fixtures.data(named: "RAW/\(name)"), using: codec)
        #expect(metadata.exif?.model == model)
        #expect(metadata.exif?.exposureTime == 1 / 125 && metadata.exif?.iso == 400)
        #expect(metadata.exif?.dateTaken != nil)
        #expect(metadata.orientation == (name == "nikon.nef" ? .left : .right))
    }

    @Test func `A file without EXIF of its own has the metadata of the preview`() throws {
        let blocks = try codec.metadataBlocks(of: Fixtures.data(named: "RAW/fuji.raf"))
        #expect(blocks.exif != nil && blocks.isComplete)
    }

    @Test func `The format has a name, file extensions and the media type of all kinds`() {
        #expect(ImageFormat.raw.name == "RAW" && codec.mediaType == "image/x-dcraw")
        #expect(!codec.keepsFileBytes && !codec.capabilities.contains(.encodesStills))
        var registry = CodecRegistry.builtIn
        registry.register(.raw)
        #expect(registry.format(forFileExtension: "CR3") == .raw)
    }
}
