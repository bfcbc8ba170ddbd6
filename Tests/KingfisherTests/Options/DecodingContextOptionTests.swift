import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// The option `.decodingContext` on every path from bytes to an image.
@Suite struct DecodingContextOptionTests {
    /// A limit below the pixel count of every image.
    private let strict = DecodingContext(limits: ImageLimits(maximumPixels: 1))

    @Test("A download obeys the limits of its context, set by option or by a manager's defaults")
    func downloads() async throws {
        let bench = try Bench()
        #expect(reason(try await bench.retrieve(nil, [.decodingContext(strict)])) == "processingFailed")
        bench.manager.defaultOptions = [.decodingContext(strict)]
        #expect(reason(try await bench.retrieve(nil, [])) == "processingFailed")
        // The options of a request override the defaults.
        let result = try await bench.retrieve(nil, [.decodingContext(DecodingContext(limits: ImageLimits()))])
        #expect(reason(result) == nil)
    }

    @Test("An image on disk and an original on disk obey the limits")
    func disk() async throws {
        let bench = try Bench()
        let url = Bench.freshURL()
        _ = try await bench.retrieve(url, [.waitForCache])
        bench.cache.clearMemoryCache()
        let cached: KingfisherOptionsInfo = [.onlyFromCache, .decodingContext(strict)]
        #expect(reason(try await bench.retrieve(url, cached)) == "imageNotExisting")
        let blur = BlurImageProcessor(blurRadius: 2)
        #expect(reason(try await bench.retrieve(url, cached + [.processor(blur)])) == "imageNotExisting")
        bench.cache.clearMemoryCache()
        #expect(reason(try await bench.retrieve(url, [.onlyFromCache])) == nil)
    }

    @Test("Bytes of a provider obey the limits, also with a memory budget")
    func providers() async throws {
        let bench = try Bench()
        let provider = Source.provider(RawImageDataProvider(data: try TestImages.png, cacheKey: "context"))
        for budget in [nil, 1 << 30] {
            bench.manager.memoryBudget = budget
            await #expect(throws: KingfisherError.self) {
                try await bench.manager.retrieveImage(
                    with: provider, options: [.forceRefresh, .decodingContext(strict)])
            }
        }
    }

    @Test("Requests with different contexts share a download but no image")
    func sharing() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let url = Bench.freshURL()
        let inbox = Inbox<(isStrict: Bool, Result<RetrieveImageResult, KingfisherError>)>()
        for isStrict in [true, false, true, false] {
            let options: KingfisherOptionsInfo = [.callbackQueue(.untouch)]
            bench.manager.retrieveImage(
                with: url, options: isStrict ? options + [.decodingContext(strict)] : options
            ) { inbox.put((isStrict, $0)) }
        }
        #expect(await poll { bench.stub.requests.count == 1 })
        // By now the other requests have searched the disk and joined the download.
        try await bench.cache.settle()
        bench.stub.release()
        for (isStrict, result) in try await inbox.first(4) { #expect((result.failure != nil) == isStrict) }
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A request with a context reads and writes the context's formats")
    func formats() async throws {
        let bench = try Bench { _ in .ok(Data("PPM of one pixel".utf8)) }
        var registry = CodecRegistry.builtIn
        registry.register(OnePixelCodec())
        let context = DecodingContext(codecs: registry)
        let url = Bench.freshURL()
        let result = try await bench.retrieve(url, [.waitForCache, .decodingContext(context)])
        #expect(try result.get().image.size == CGSize(width: 1, height: 1))
        bench.cache.clearMemoryCache()
        #expect(
            try await bench.retrieve(url, [.onlyFromCache, .decodingContext(context)]).get().cacheType
                == .disk)
        #expect(reason(try await bench.retrieve(nil, [])) == "processingFailed")
    }
}

/// Decodes files that start with "PPM" as one grey pixel.
private struct OnePixelCodec: ImageCodec {
    let format = ImageFormat(name: "ONE")

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: Array("PPM".utf8)) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        TestDecoder(1, 1) { _ throws(ImageCodecError) in
            try PixelBuffer.decoding(PixelSize(width: 1, height: 1), format: .gray8, zeroed: true) { _, _ in }
        }
    }
}
