import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// Stores files that only an equal serializer can read: each byte is combined with a key.
private struct SealedSerializer: CacheSerializer, Hashable {
    var key: UInt8 = 0x5A
    /// Blocks decoding, so that two requests overlap.
    var valve: Valve?

    func data(with image: Image, original: Data?) -> Data? {
        DefaultCacheSerializer.default.data(with: image, original: original).map(combined)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        valve?.pass()
        return DefaultCacheSerializer.default.image(with: combined(data), options: options)
    }

    func combined(_ data: Data) -> Data { Data(data.map { $0 ^ key }) }

    static func == (one: Self, other: Self) -> Bool { one.key == other.key }
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

@Suite struct OriginalSerializerTests {
    private let sealed = KingfisherOptionsInfoItem.cacheSerializer(SealedSerializer())

    /// Loads the unprocessed image, so that the disk has an original that only the serializer can read.
    private func store(_ bench: Bench, in cache: ImageCache? = nil) async throws {
        _ = try await bench.retrieve(nil, [sealed, .targetCache(cache ?? bench.cache), .waitForCache]).get()
        (cache ?? bench.cache).clearMemoryCache()
        #expect(bench.stub.requests.count == 1)
    }

    @Test(
        "An original that only the serializer can read is processed offline", .behaviours("M-27"),
        arguments: [false, true])
    func encrypted(isSeparate: Bool) async throws {
        let bench = try Bench()
        let other = try Bench()
        let originals = isSeparate ? other.cache : bench.cache
        try await store(bench, in: originals)
        let options: KingfisherOptionsInfo = [sealed, .originalCache(originals), .onlyFromCache]
        let crop = CroppingImageProcessor(size: CGSize(width: 4, height: 4))
        let counting = CountingProcessor("counting")
        for processor in [crop, counting, counting |> crop] as [any ImageProcessor] {
            let result = try await bench.retrieve(nil, options + [.processor(processor)]).get()
            #expect(result.cacheType == .none)
            let cropped = processor.identifier != "counting"
            #expect(result.image.size == (cropped ? CGSize(width: 4, height: 4) : TestImages.pngSize))
        }
        #expect(counting.items == [.image, .image] && bench.stub.requests.count == 1)
        // The processed image is stored by the serializer as well, once.
        try await bench.cache.settle()
        let path = bench.cache.cachePath(
            forKey: bench.url.cacheKey, processorIdentifier: crop.identifier)
        let stored = SealedSerializer().combined(try Data(contentsOf: URL(filePath: path)))
        #expect(try TestImages.image(stored).size == CGSize(width: 4, height: 4))
    }

    @Test(
        "A user's processor gets the decoded image, independent of the serializer", .behaviours("M-27"))
    func userProcessor() async throws {
        let bench = try await Bench(caching: TestImages.png)
        let serializer = CountingSerializer()
        let serializers: [any CacheSerializer] = [DefaultCacheSerializer(), serializer]
        for (number, serializer) in serializers.enumerated() {
            let processor = CountingProcessor("counting \(number)")
            let options: KingfisherOptionsInfo = [.processor(processor), .cacheSerializer(serializer)]
            let image = try await bench.retrieve(nil, options + [.onlyFromCache]).get().image
            #expect(processor.items == [.image])
            #expect(samePixels(image, try TestImages.image))
        }
        #expect(serializer.decoded == 1)
    }

    @Test("A built-in processor decodes a file by itself if the serializer stores files")
    func decodesFile() throws {
        let (still, animation) = (try TestImages.png, try TestImages.gif)
        let small = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
        let own = CountingProcessor("own")
        #expect(small.decodesFile(still) && (small |> own).decodesFile(still))
        #expect(!own.decodesFile(still) && !(own |> small).decodesFile(still))
        #expect(small.framewise.decodesFile(animation) && !own.framewise.decodesFile(animation))
        let box = try #require(
            ViewPixelBox(
                ViewDisplay(size: CGSize(width: 9, height: 9), scaleFactor: 1, isVisible: true),
                contentMode: .scaleAspectFit))
        #expect(ViewSizeImageProcessor(box, next: own).decodesFile(still))
        #expect(!ViewSizeImageProcessor(box, next: own).decodesFile(animation))
        #expect(ViewSizeImageProcessor(box, next: small).decodesFile(animation))
    }

    @Test(
        "A file that the user's serializer refuses is downloaded, even if a codec could read it",
        .behaviours("M-27"))
    func refused() async throws {
        let bench = try await Bench(caching: TestImages.png)
        let processor = CountingProcessor("p")
        let offline = try await bench.retrieve(nil, [sealed, .processor(processor), .onlyFromCache])
        #expect(reason(offline) == "imageNotExisting" && processor.calls == 0)
        _ = try await bench.retrieve(nil, [sealed, .processor(processor)]).get()
        #expect(bench.stub.requests.count == 1)
    }

    @Test("An original in a format that only the processor knows needs no download")
    func processorsFormat() async throws {
        struct Dots: ImageProcessor {
            let identifier = "dots"

            func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
                guard case .data(let data) = item else { return nil }
                return data.starts(with: Data("dots".utf8)) ? Image.filled(data.count, 1, with: 9) : nil
            }
        }
        let bench = try await Bench(caching: Data("dots...".utf8))
        let image = try await bench.retrieve(nil, [.processor(Dots()), .onlyFromCache]).get().image
        #expect(image.size == CGSize(width: 7, height: 1))
    }

    @Test("Requests with different serializers do not share decoded images", .behaviours("M-27"))
    func notShared() async throws {
        let rig = try SharingRig()
        let right = SealedSerializer(valve: Valve())
        try await rig.cache.storeToDisk(right.combined(TestImages.png), forKey: rig.key)
        let called = await rig.call(20) { number in
            [
                .processor(CountingProcessor("same")), .onlyFromCache,
                .cacheSerializer(number % 2 == 0 ? right : SealedSerializer(key: 1)),
                .processingQueue(.dispatch(DispatchQueue(label: "of \(number)"))),
            ]
        }
        _ = try await right.valve?.insertions.first()
        // Requests with the wrong key do not wait for the right one and do not get its image.
        for (number, outcome) in try await called.first(10) {
            #expect(number % 2 == 1 && reason(outcome) == "imageNotExisting")
        }
        right.valve?.open()
        for (number, outcome) in try await called.first(20).suffix(10) {
            let size = try outcome.get().image.size
            #expect(number % 2 == 0 && size == TestImages.pngSize)
        }
    }

    @Test("Frames of an encrypted animation are processed only once", .behaviours("M-27"))
    func frames() async throws {
        let bench = try Bench(serving: GreyFixtures.file)
        try await store(bench)
        let framewise: KingfisherOptionsInfo = [
            .processor(GreyFixtures.lighter()), .processesAnimatedFrames, sealed, .onlyFromCache,
            .waitForCache,
        ]
        let made = try await bench.retrieve(nil, framewise).get()
        #expect(made.cacheType == .none && made.image.greysOnDemand == [101, 102, 103])
        bench.cache.clearMemoryCache()
        let read = try await bench.retrieve(nil, framewise).get()
        #expect(read.cacheType == .disk && read.image.greysOnDemand == [101, 102, 103])
        let all = try await bench.retrieve(nil, framewise + [.preloadAllAnimationData]).get()
        #expect(all.cacheType == .memory && all.image.greysInMemory == [101, 102, 103])
        withExtendedLifetime(read) {}
    }
}
