import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

/// `.acceptsPartialImages`, with a codec of the tests: what is shown, and what is never stored.
@Suite struct PartialImageTests {
    private static let whole = PartialCodec.file(rows: 6)
    private static let truncatedFile = PartialCodec.file(rows: 3)
    private let shrinking = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))

    /// Grey values of the first column, from the top.
    private func greys(_ image: Image) throws -> [Int?] {
        let pixels = try #require(image.pixels)
        return (0..<pixels.height).map { pixels.samples(x: 0, y: $0)?.first }
    }

    @Test("The option reaches decoding and downsampling; without it a truncated file is an error")
    func decoding() throws {
        var partial = ImageCreatingOptions()
        partial.acceptsPartialImages = true
        #expect(try greys(Image.decode(Self.truncatedFile, options: partial)) == [200, 200, 200, 0, 0, 0])
        #expect(throws: ImageCodecError.truncated) { try Image.decode(Self.truncatedFile) }
        #expect(throws: ImageCodecError.truncated) {
            try Image.downsample(Self.truncatedFile, to: CGSize(width: 4, height: 4), scale: 1)
        }
        let options = KingfisherParsedOptionsInfo([.acceptsPartialImages])
        let small = try #require(shrinking.process(item: .data(Self.truncatedFile), options: options))
        #expect(small.size == CGSize(width: 4, height: 3))
        #expect(
            shrinking.process(item: .data(Self.truncatedFile), options: KingfisherParsedOptionsInfo(nil))
                == nil)
        #expect(Image(data: Self.truncatedFile) == nil)
    }

    static let formats = [
        "PNG/rgb8.png", "JPEG/420.jpg", "JPEG/progressive.jpg", "GIF/disposal-mixed.gif", "APNG/mixed.apng",
    ]

    @Test(
        "A file ends early wherever it is truncated, and not if bytes follow its end", arguments: formats)
    func truncated(name: String) throws {
        let file = try Fixtures.data(named: name)
        for count in 9..<file.count { #expect(ImageCodecs.endsEarly(file.prefix(count)), "\(count) bytes") }
        #expect(!ImageCodecs.endsEarly(file) && !ImageCodecs.endsEarly(file + Data("more".utf8)))
        #expect(!ImageCodecs.endsEarly(Data()))
    }

    @Test("A truncated file of any format is shown and stored nowhere", arguments: formats)
    func formatsAreStoredNowhere(name: String) async throws {
        let file = try Fixtures.data(named: name)
        let bench = try Bench(serving: file.prefix(file.count * 4 / 5))
        let options: KingfisherOptionsInfo = [.cacheOriginalImage, .waitForCache]
        for processor in [shrinking, DefaultImageProcessor.default] as [any ImageProcessor] {
            let options = options + [.processor(processor)]
            let shown = try await bench.retrieve(nil, options + [.acceptsPartialImages]).get()
            #expect(shown.cacheType == .none && shown.image.pixels != nil)
            #expect(reason(try await bench.retrieve(nil, options)) == "processingFailed")
            try await bench.cache.settle()
            #expect(bench.filesOnDisk.isEmpty)
            let stored = bench.cache.imageCachedType(
                forKey: bench.url.cacheKey, processorIdentifier: processor.identifier)
            #expect(stored == .none)
        }
    }

    @Test("A partial image is shown and not stored; strict requests fail, and a whole file is stored")
    func storedNowhere() async throws {
        let served = Mutex(Self.truncatedFile)
        let bench = try Bench { _ in .ok(served.withLock { $0 }) }
        let options: KingfisherOptionsInfo = [.cacheOriginalImage, .waitForCache]
        for processor in [shrinking, DefaultImageProcessor.default] as [any ImageProcessor] {
            let options = options + [.processor(processor)]
            let shown = try await bench.retrieve(nil, options + [.acceptsPartialImages]).get()
            #expect(shown.cacheType == .none)
            #expect(shown.data() == Self.truncatedFile)
            #expect(reason(try await bench.retrieve(nil, options)) == "processingFailed")
            try await bench.cache.settle()
            #expect(bench.filesOnDisk.isEmpty)
            let key = bench.url.cacheKey
            #expect(
                bench.cache.imageCachedType(forKey: key, processorIdentifier: processor.identifier) == .none)
        }
        // Each processor needed a request, since nothing was cached for the second.
        #expect(bench.stub.requests.count >= 2)
        served.withLock { $0 = Self.whole }
        let whole = try await bench.retrieve(nil, options + [.acceptsPartialImages]).get().image
        #expect(try greys(whole) == Array(repeating: 200, count: 6))
        #expect(bench.filesOnDisk.count == 1)
        #expect(try await bench.retrieve(nil, [.acceptsPartialImages]).get().cacheType == .memory)
    }

    @Test("Requests with and without the option share a download, but not the image")
    func sharedDownload() async throws {
        let bench = try Bench(serving: Self.truncatedFile)
        bench.stub.hold()
        let (strict, partial) = (
            Inbox<Result<ImageLoadingResult, KingfisherError>>(),
            Inbox<Result<ImageLoadingResult, KingfisherError>>()
        )
        bench.downloader.downloadImage(with: bench.url, options: []) { strict.put($0) }
        bench.downloader.downloadImage(with: bench.url, options: [.acceptsPartialImages]) { partial.put($0) }
        bench.stub.release()
        #expect(try await partial.first().get().image.size == CGSize(width: 8, height: 6))
        #expect(reason(try await strict.first()) == "processingFailed")
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A truncated file in the cache counts as missing, so the source is loaded")
    func truncatedOnDisk() async throws {
        for processor in [shrinking, DefaultImageProcessor.default] as [any ImageProcessor] {
            let bench = try Bench(serving: Self.whole)
            try await bench.cache.storeToDisk(Self.truncatedFile, forKey: bench.url.cacheKey)
            let options: KingfisherOptionsInfo = [
                .acceptsPartialImages, .processor(processor), .waitForCache,
            ]
            let image = try await bench.retrieve(nil, options).get().image
            #expect(try greys(image).allSatisfy { $0 == 200 })
            #expect(bench.stub.requests.count == 1)
        }
    }
}
