import Foundation
import Kingfisher
import KingfisherFormats
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// Which codecs run in a separate process.
@Suite("Isolation: policy")
struct PolicyTests {
    /// A codec of a program for a format of this package.
    private struct OwnCodec: ImageCodec {
        let format = ImageFormat.JPEG
        func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
        func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder { throw .truncated }
    }

    @Test("All codecs of the decoder are isolated by .all, and none by .none; other codecs never are")
    func policies() {
        for codec in FormatCatalog.codecs {
            let access: DecoderAccess = codec.format.name == "SVG" ? .fonts : .nothing
            #expect(IsolationPolicy.all.access(for: codec) == access, "\(codec)")
            #expect(IsolationPolicy.none.access(for: codec) == nil)
        }
        let untrusted = FormatCatalog.codecs.filter { codec in
            IsolationPolicy.untrustedFormats.access(for: codec) != nil
        }
        // Builds may be without some of them.
        let names = Set(FormatCatalog.codecs.map(\.format.name))
        #expect(
            Set(untrusted.map(\.format.name)) == names.intersection(["HEIC", "RAW", "SVG", "TIFF"]))
        #expect(IsolationPolicy.untrustedFormats.access(for: JPEGCodec()) == nil)
        for codec: any ImageCodec in [OwnCodec(), IsolatedCodec(JPEGCodec(), pool: .shared)] {
            #expect(IsolationPolicy.all.access(for: codec) == nil)
        }
    }

    @Test("The codecs of the process keep their order while several threads isolate them")
    func order() async {
        await #expect(processExitsWith: .success) {
            let animated = try Fixtures.data(named: "APNG/delays.apng")
            let formats = ImageCodecs.formats
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<1_000 {
                    ImageCodecs.isolate(with: DecoderIsolation(policy: .all))
                    precondition(ImageCodecs.codec(for: animated)?.format == .APNG)
                }
            }
            precondition(ImageCodecs.formats == formats)
            precondition(ImageCodecs.codec(for: .PNG) is IsolatedCodec)
        }
    }

    @Test("A context with the strategy decodes in a process, whole, small and through a manager's options")
    func context() throws {
        let pool = DecoderPool.of(Programs.decoder)
        let context = DecodingContext(strategy: DecoderIsolation(policy: .all, pool: pool))
        let data = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        let here = try Image.downsample(data, to: CGSize(width: 50, height: 50), scale: 1)
        let there = try context.run {
            try Image.downsample(data, to: CGSize(width: 50, height: 50), scale: 1)
        }
        #expect(here.kf.pngRepresentation() == there.kf.pngRepresentation())
        #expect(pool.processIdentifiers.count == 1)
        #expect(try context.run { try Image.decode(data) }.pixels?.size == Image.decode(data).pixels?.size)
        let other = DecoderPool.of("/nowhere")
        let none = DecodingContext(strategy: DecoderIsolation(policy: .untrustedFormats, pool: other))
        #expect(try none.run { try Image.decode(data).pixels } != nil)
    }

    @Test("A manager for servers isolates by its policy, with the limits of servers")
    func server() async throws {
        // Other tests may delay this one after its image.
        let pool = DecoderPool.of(Programs.decoder) { $0.idleTime = .seconds(600) }
        let folder = TestFolders.unused()
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = try ImageCache(name: "isolation", cacheDirectoryURL: folder)
        let manager = KingfisherManager.forServers(isolation: .all, pool: pool, cache: cache)
        let data = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        let provider = RawImageDataProvider(data: data, cacheKey: "eyes")
        let small = DownsamplingImageProcessor(size: CGSize(width: 40, height: 40))
        let result = try await manager.retrieveImage(with: .provider(provider), options: [.processor(small)])
        #expect(result.image.pixels?.size.width == 40)
        #expect(pool.processIdentifiers.count >= 1)
        let context = KingfisherParsedOptionsInfo(manager.defaultOptions).decodingContext
        #expect(context?.limits == KingfisherManager.serverImageLimits)
        #expect(context?.usesIdleCores == false)
    }

    @Test("The error of a decoder names the program's remedy")
    func message() {
        let error = failure { () throws(ImageCodecError) in
            _ = try IsolatedCodec(JPEGCodec(), pool: .of("/nowhere")).header(of: Data(count: 20))
        }
        #expect(error?.errorDescription?.contains("/nowhere") == true)
        let failures: [DecoderFailure] = [
            .notLockedDown("system calls"), .crashed(signal: 11), .crashed(signal: 0), .forbiddenCall,
            .timedOut,
            .memoryLimit, .violatedProtocol("x"),
        ]
        let texts = failures.compactMap { ImageCodecError.decoderFailed($0).errorDescription }
        #expect(Set(texts).count == failures.count && texts.allSatisfy { $0.contains("the image") })
    }
}
