import Foundation
import KingfisherFormats
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// Malformed files of the formats that have no fixtures, from the seeds of the fuzzer.
@Suite("Isolation: malformed files")
struct MalformedFileTests {
    static let formats = FormatCatalog.codecs.map { $0.format.name.lowercased() }.filter { name in
        FileManager.default.fileExists(atPath: folder(name).path)
    }

    private static func folder(_ format: String) -> URL {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        return tests.appending(path: "../../Fuzz/seeds").appending(path: format)
    }

    private static func seeds(_ format: String) throws -> [Data] {
        let folder = folder(format)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }.map { try Data(contentsOf: $0) }
    }

    private static let registry = CodecRegistry(FormatCatalog.codecs)

    @Test(
        "Header, pixels, small pixels and metadata of malformed files are errors or images",
        arguments: formats)
    func mutations(_ format: String) throws {
        let seeds = try Self.seeds(format)
        let codec = try #require(seeds.first.flatMap { Self.registry.codec(for: $0) })
        let (pool, mutator) = (DecoderPool.of(Programs.decoder), FileMutator(seeds))
        let isolated = IsolatedCodec(codec, pool: pool)
        let context = DecodingContext(
            codecs: Self.registry, limits: ImageLimits(maximumPixels: 1 << 20, maximumFrameBytes: 1 << 27),
            usesIdleCores: false)
        var decoded = 0
        context.run {
            for number in 0..<Self.mutations {
                let file = mutator.file(number)
                let name = "\(format) \(number)"
                check(name) { () throws(ImageCodecError) in _ = try isolated.header(of: file) }
                check(name) { () throws(ImageCodecError) in _ = try isolated.metadataBlocks(of: file) }
                check(name) { () throws(ImageCodecError) in
                    _ = try isolated.decode(file, shrunkTo: PixelSize(width: 5, height: 3))
                }
                check(name) { () throws(ImageCodecError) in
                    _ = try isolated.decode(file, minimumSize: nil)
                    decoded += 1
                }
            }
        }
        #expect(decoded > 0 && decoded < Self.mutations)
        #expect(pool.processIdentifiers.count == 1)
    }

    private func check(_ name: String, _ body: () throws(ImageCodecError) -> Void) {
        guard case .decoderFailed(let reason) = failure(body), reason != .memoryLimit else { return }
        Issue.record("\(name): \(reason)")
    }

    private static let mutations =
        ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 500 : 20_000
}
