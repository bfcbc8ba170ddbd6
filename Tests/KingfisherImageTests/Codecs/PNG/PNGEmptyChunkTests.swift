import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Chunks without data, as in `empty_ancillary_chunks.png` of libpng's tests.
@Suite("PNG: empty ancillary chunks") struct PNGEmptyChunkTests {
    static let types = PNGChecksumTests.expendable + PNGChecksumTests.decisive.filter { $0 != "tRNS" }

    private func plain(_ name: String) throws -> Data { try Fixtures.data(named: "PNG/\(name).png") }

    /// The file with empty chunks before and after its pixels.
    private func file(_ name: String, with types: [String]) throws -> Data {
        var list = ChunkList(try plain(name))
        let empty = types.map { ChunkList.Chunk(type: $0, data: []) }
        list.chunks.insert(contentsOf: empty, at: 1)
        list.chunks.insert(contentsOf: empty, at: list.chunks.count - 1)
        return list.file
    }

    private func expectPixels(of name: String, with types: [String]) throws {
        let (file, plain, codec) = (try file(name, with: types), try plain(name), PNGCodec())
        let pixels = try codec.decode(file, minimumSize: nil)
        #expect(try pixels.packedBytes == codec.decode(plain, minimumSize: nil).packedBytes)
        let target = PixelSize(width: 4, height: 4)
        let small = try codec.decode(file, shrunkTo: target)
        #expect(try small.packedBytes == codec.decode(plain, shrunkTo: target).packedBytes)
    }

    @Test("They count as absent", arguments: types, ["rgb8", "rgb16", "gray4"])
    func absent(_ type: String, _ name: String) throws {
        try expectPixels(of: name, with: [type])
    }

    @Test("All of them together count as absent", arguments: ["rgb8", "rgb16", "gray4"])
    func all(_ name: String) throws {
        try expectPixels(of: name, with: Self.types)
    }
}
