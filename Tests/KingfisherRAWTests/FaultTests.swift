import Foundation
import KingfisherRAW
import KingfisherTestSupport
import TestHelpers
import Testing

/// Files without usable preview, malformed ones and hostile ones.
@Suite struct FaultTests {
    private let codec = RAWCodec()
    private static let missing = ImageCodecError.unsupported(
        "a camera RAW file without an embedded JPEG preview")

    private func file(_ name: String) throws -> Data { try Fixtures.data(named: "RAW/\(name)") }

    @Test(arguments: [
        "bad-none.dng", "bad-lossless.dng", "bad-deep.dng", "bad-strips.dng", "bad-alone.nef",
        "bad-chain.dng",
    ])
    func `A file without a preview that can be shown is an error that says so`(name: String) throws {
        let data = try file(name)
        #expect(data.withUnsafeBytes(codec.matches))
        #expect(codec.failure(of: data) == Self.missing)
        #expect(
            Self.missing.errorDescription
                == "a camera RAW file without an embedded JPEG preview is not supported")
    }

    @Test(arguments: ["bad-dummy.nef", "bad-header.nef", "bad-end.nef"])
    func `A corrupt preview is passed over for the next smaller one`(name: String) throws {
        let pixels = try codec.decode(file(name), minimumSize: nil)
        #expect(pixels.size == PixelSize(width: 16, height: 24))
        let corner = try #require(pixels.samples(x: 2, y: 22))
        #expect(corner[1] > 140 && corner[0] < 60, "the medium preview is green: \(corner)")
    }

    @Test(arguments: ["bad-loop.dng", "bad-length.dng"])
    func `Directories in a loop, and lengths beyond the file, do no harm`(name: String) throws {
        #expect(try codec.decode(file(name), minimumSize: nil).size == PixelSize(width: 24, height: 16))
    }

    @Test func `A maker note with a preview after the end of the file is ignored if there is another`() throws
    {
        let pixels = try codec.decode(file("bad-note.nef"), minimumSize: nil)
        #expect(pixels.size == PixelSize(width: 32, height: 48))
    }

    @Test func `A preview after the end of the file makes it truncated`() throws {
        #expect(try codec.failure(of: file("bad-offset.dng")) == .truncated)
    }

    @Test func `Four thousand million sub-directories are an error`() throws {
        let data = try file("bad-count.dng")
        #expect(data.withUnsafeBytes(codec.matches))
        #expect(codec.failure(of: data) != nil)
    }

    @Test(arguments: [
        "canon.cr2", "canon.cr3", "nikon.nef", "sony.arw", "adobe-6.dng", "fuji.raf", "olympus.orf",
        "panasonic.rw2",
    ])
    func `A part of a file is truncated, or has the image of the whole`(name: String) throws {
        let data = try file(name)
        let whole = try codec.decode(data, minimumSize: nil).packedBytes
        for length in 0..<data.count {
            let part = data.prefix(length)
            guard part.withUnsafeBytes(codec.matches) else {
                #expect(codec.failure(of: part) != nil, "\(length)")
                continue
            }
            do throws(ImageCodecError) {
                let isSame = try codec.decode(part, minimumSize: nil).packedBytes == whole
                #expect(isSame, "\(length) bytes")
            } catch {
                #expect(error == .truncated, "\(length) bytes")
            }
        }
    }

    @Test func `A partial preview is shown only to callers that accept it`() throws {
        let data = try file("fuji.raf")
        let part = data.prefix(data.count - 64 - 4)
        #expect(codec.failure(of: part) == .truncated)
        #expect(codec.endsEarly(part))
        let pixels = try codec.decode(part, minimumSize: nil, acceptsPartialImages: true)
        #expect(pixels.size == PixelSize(width: 32, height: 48))
        #expect(!codec.endsEarly(data))
    }

    @Test func `A preview above the limit is refused, and not replaced by a smaller one`() throws {
        let small = DecodingContext(limits: ImageLimits(maximumPixels: 48 * 32 - 1))
        let data = try file("canon.cr2")
        small.run { #expect(codec.failure(of: data) == .tooLarge(width: 48, height: 32)) }
        let memory = DecodingContext(limits: ImageLimits(maximumFrameBytes: 1_000))
        memory.run { #expect(codec.failure(of: data) == .tooMuchMemory) }
    }

    @Test func `A TIFF file of an editor with the name of a camera is no RAW file`() throws {
        let data = try file("editor.tif")
        #expect(!data.withUnsafeBytes(codec.matches))
        #expect(codec.failure(of: data) == .corrupt("no signature of a RAW file"))
    }

    @Test(arguments: [
        Data("II*\0\u{8}\0\0\0\0".utf8), Data("MM\0*".utf8), Data("FUJIFILMCCD".utf8), Data(),
        Data("IIU".utf8),
        Data("\0\0\0\u{10}ftypheic".utf8),
    ])
    func `Other bytes are no RAW file`(bytes: Data) {
        #expect(!bytes.withUnsafeBytes(codec.matches))
    }

    @Test func `10,000 corrupt files fail or give an image of the declared size`() throws {
        let names = [
            "canon.cr2", "canon.cr3", "nikon.nef", "nikon-note.nef", "sony.arw", "adobe-6.dng", "fuji.raf",
            "olympus.orf", "om-system.orf", "panasonic.rw2", "bad-loop.dng",
        ]
        codec.checkCorrupt(try names.map(file), count: 10_000, seed: 49) { file, _ in
            _ = try? codec.decode(file, minimumSize: PixelSize(width: 3, height: 2))
            _ = try? codec.metadataBlocks(of: file)
        }
    }
}
