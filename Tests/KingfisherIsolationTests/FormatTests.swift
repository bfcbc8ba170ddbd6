import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// Every format in a process of its own gives what it gives in this one.
@Suite("Isolation: formats")
struct FormatTests {
    private static let pool = DecoderPool.of(Programs.decoder)
    /// In the order in which a process looks them up after it has registered all.
    private static let registry = CodecRegistry(Sandbox.codecs.reversed())

    private static var files: [String] {
        let root = Fixtures.url(named: ".")
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            guard let data = try? Data(contentsOf: root.appending(path: name)) else { return false }
            return data.count < 1 << 20 && registry.codec(for: data) != nil
        }.sorted()
    }

    @Test("The sample of each format is decoded in a process as here", arguments: Sandbox.codecs.indices)
    func samples(index: Int) throws {
        let codec = Sandbox.codecs[index]
        let there = IsolatedCodec(codec, access: codec.access, pool: Self.pool)
        let pixels = try there.decode(codec.sample, minimumSize: nil)
        #expect(same(pixels, try codec.decode(codec.sample, minimumSize: nil)))
        #expect(try there.header(of: codec.sample) == codec.header(of: codec.sample))
    }

    @Test("The codec of the process has the page of the program's codec")
    func variant() throws {
        guard let tiff = Sandbox.codecs.first(where: { $0.format.name == "TIFF" }) else { return }
        let second = tiff.with(variant: 1)
        func error(_ codec: any ImageCodec) -> ImageCodecError? {
            failure { () throws(ImageCodecError) in _ = try codec.header(of: tiff.sample) }
        }
        // The sample has one page.
        #expect(error(second) != nil && error(IsolatedCodec(second, pool: Self.pool)) == error(second))
        #expect(error(IsolatedCodec(tiff, pool: Self.pool)) == nil)
    }

    @Test("All fixtures: headers, pixels, thumbnails, frames, metadata and errors are the same")
    func fixtures() throws {
        var animations = 0
        let context = DecodingContext(codecs: Self.registry, limits: ImageLimits(), usesIdleCores: false)
        try context.run {
            #expect(Self.files.count > 50)
            for name in Self.files {
                let data = try Data(contentsOf: Fixtures.url(named: ".").appending(path: name))
                let codec = try #require(Self.registry.codec(for: data))
                if Comparison(name, data, codec, pool: Self.pool).run([PixelSize(width: 7, height: 5)]) > 0 {
                    animations += 1
                }
            }
        }
        #expect(animations > 3)
    }

    @Test("Corrupt files of every format are errors or images, and end no decoder")
    func corruption() throws {
        let context = DecodingContext(
            codecs: Self.registry, limits: ImageLimits(maximumPixels: 4_000_000, maximumFrames: 100),
            usesIdleCores: false)
        let files = try Self.files.map { try Data(contentsOf: Fixtures.url(named: ".").appending(path: $0)) }
        let pool = DecoderPool.of(Programs.decoder)
        context.run {
            for codec in Sandbox.codecs {
                let mutator = FileMutator(
                    files.filter { Self.registry.codec(for: $0)?.format == codec.format } + [codec.sample])
                let isolated = IsolatedCodec(codec, access: codec.access, pool: pool)
                for number in 0..<Self.mutations {
                    let error = failure { () throws(ImageCodecError) in
                        _ = try isolated.frameSource(for: mutator.file(number))
                        _ = try isolated.decode(mutator.file(number), minimumSize: nil)
                    }
                    guard case .decoderFailed(let reason) = error, reason != .memoryLimit else { continue }
                    Issue.record("\(codec.format) \(number): \(reason)")
                }
            }
        }
        #expect(pool.processIdentifiers.count == Set(Sandbox.codecs.map(\.access)).count)
    }

    private static let mutations =
        ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 100 : 10_000
}
