import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import KingfisherIsolation

/// Every format in a process of its own gives what it gives in this one.
@Suite("Isolation: formats")
struct FormatTests {
    private static let pool = DecoderPool.of(Programs.decoder)
    private static let registry = CodecRegistry(Sandbox.formats.map(\.codec))

    private static var files: [String] {
        let root = Fixtures.url(named: ".")
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            guard let data = try? Data(contentsOf: root.appending(path: name)) else { return false }
            return data.count < 1 << 20 && registry.codec(for: data) != nil
        }.sorted()
    }

    @Test("The sample of each format is decoded in a process as here", arguments: Sandbox.formats.indices)
    func samples(index: Int) throws {
        let format = Sandbox.formats[index]
        let there = IsolatedCodec(format.codec, access: format.access, pool: Self.pool)
        let pixels = try there.decode(format.sample, minimumSize: nil)
        #expect(same(pixels, try format.codec.decode(format.sample, minimumSize: nil)))
        #expect(try there.header(of: format.sample) == format.codec.header(of: format.sample))
    }

    private func result<Value>(
        _ body: () throws(ImageCodecError) -> Value
    ) -> Result<Value, ImageCodecError> {
        Result { () throws(ImageCodecError) in try body() }
    }

    @Test("All fixtures: headers, pixels, thumbnails, metadata and errors are the same")
    func fixtures() throws {
        let context = DecodingContext(codecs: Self.registry, limits: ImageLimits(), usesIdleCores: false)
        try context.run {
            #expect(Self.files.count > 50)
            for name in Self.files {
                let data = try Data(contentsOf: Fixtures.url(named: ".").appending(path: name))
                let codec = try #require(Self.registry.codec(for: data))
                compare(name, data, codec, IsolatedCodec(codec, pool: Self.pool))
            }
        }
    }

    private func compare(_ name: String, _ data: Data, _ codec: any ImageCodec, _ other: IsolatedCodec) {
        let header = result { () throws(ImageCodecError) in try codec.header(of: data) }
        #expect(header == result { () throws(ImageCodecError) in try other.header(of: data) }, "\(name)")
        #expect(
            result { () throws(ImageCodecError) in try codec.metadataBlocks(of: data) }
                == result { () throws(ImageCodecError) in try other.metadataBlocks(of: data) }, "\(name)")
        #expect(codec.endsEarly(data) == other.endsEarly(data), "\(name)")
        for accepts in [false, true] {
            let one = result { () throws(ImageCodecError) in
                try codec.decode(data, minimumSize: nil, acceptsPartialImages: accepts)
            }
            let two = result { () throws(ImageCodecError) in
                try other.decode(data, minimumSize: nil, acceptsPartialImages: accepts)
            }
            check(name, one, two)
        }
        let target = PixelSize(width: 7, height: 5)
        guard let size = try? header.get().displaySize, size.width > 7, size.height > 5 else { return }
        check(
            name, result { () throws(ImageCodecError) in try codec.decode(data, shrunkTo: target) },
            result { () throws(ImageCodecError) in try other.decode(data, shrunkTo: target) })
    }

    private func check(
        _ name: String, _ one: Result<PixelBuffer, ImageCodecError>,
        _ two: Result<PixelBuffer, ImageCodecError>
    ) {
        switch (one, two) {
        case (.success(let first), .success(let second)): #expect(same(first, second), "\(name)")
        case (.failure(let first), .failure(let second)): #expect(first == second, "\(name)")
        default: Issue.record("\(name): \(one) in process, \(two) in the decoder")
        }
    }

    @Test("Corrupt files of every format are errors or images, and end no decoder")
    func corruption() throws {
        let context = DecodingContext(
            codecs: Self.registry, limits: ImageLimits(maximumPixels: 4_000_000, maximumFrames: 100),
            usesIdleCores: false)
        let files = try Self.files.map { try Data(contentsOf: Fixtures.url(named: ".").appending(path: $0)) }
        let pool = DecoderPool.of(Programs.decoder)
        context.run {
            for format in Sandbox.formats {
                let codec = format.codec
                let mutator = FileMutator(
                    files.filter { Self.registry.codec(for: $0)?.format == codec.format } + [format.sample])
                let isolated = IsolatedCodec(codec, access: format.access, pool: pool)
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
        #expect(pool.processIdentifiers.count == Set(Sandbox.formats.map(\.access)).count)
    }

    private static let mutations =
        ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 100 : 10_000

    @Test("The frames of animations are the same in any order and after a copy")
    func animations() throws {
        let context = DecodingContext(codecs: Self.registry, limits: ImageLimits(), usesIdleCores: false)
        try context.run {
            var animations = 0
            for name in Self.files {
                let data = try Data(contentsOf: Fixtures.url(named: ".").appending(path: name))
                let codec = try #require(Self.registry.codec(for: data))
                guard let source = try? codec.frameSource(for: data) else { continue }
                let isolated = IsolatedCodec(codec, pool: Self.pool)
                let other = try #require(try isolated.frameSource(for: data), "\(name)")
                animations += 1
                #expect(source.frameCount == other.frameCount && source.loopCount == other.loopCount)
                for index in [0, 1, source.frameCount - 1, 0] {
                    #expect(source.duration(at: index) == other.duration(at: index))
                    #expect(same(source.frame(at: index), other.frame(at: index)), "\(name) \(index)")
                    let small = CGSize(width: 9, height: 9)
                    #expect(
                        same(
                            source.frame(at: index, maxSize: small),
                            other.copy().frame(at: index, maxSize: small)),
                        "\(name) \(index)")
                }
                #expect(other.frame(at: source.frameCount) == nil && other.frame(at: -1) == nil)
            }
            #expect(animations > 3)
        }
    }
}
