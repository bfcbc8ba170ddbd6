import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Options for the expiration, format and name of cached images.
@Suite(.timeLimit(.minutes(1))) struct CacheOptionTests {
    let box: Sandbox
    private let url: URL

    init() throws {
        box = try Sandbox()
        url = box.url("PNG/rgb8.png")
    }

    @discardableResult
    private func load(_ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        try await box.manager.retrieveImage(with: url, options: options + [.waitForCache])
    }

    private var cached: CacheType { box.cache.imageCachedType(forKey: url.cacheKey) }

    @Test("The expiration options store an image on disk only, or in memory only")
    func expiration() async throws {
        try await load([.memoryCacheExpiration(.expired), .diskCacheExpiration(.days(30))])
        #expect(cached == .disk)
        await box.cache.clearCache()
        try await load([.diskCacheExpiration(.expired), .memoryCacheExpiration(.never)])
        #expect(cached == .memory)
        box.cache.clearMemoryCache()
        #expect(cached == .none)
    }

    @Test("An image with an expiration date expires at that date")
    func date() async throws {
        try await load([
            .memoryCacheExpiration(.date(Date(timeIntervalSinceNow: -1))),
            .diskCacheExpiration(.date(Date(timeIntervalSinceNow: 3600))),
        ])
        #expect(cached == .disk)
    }

    @Test("A read extends the expiration in memory, or not, as the option says")
    func memoryExtension() async throws {
        try await load([])
        let hit = try await load([.memoryCacheAccessExtendingExpiration(.none)])
        #expect(hit.cacheType == .memory && cached == .memory)
        try await load([.memoryCacheAccessExtendingExpiration(.expirationTime(.expired))])
        #expect(cached == .disk)
    }

    @Test("A read extends the expiration on disk, or not, as the option says")
    func diskExtension() async throws {
        try await load([])
        for (extending, after) in [
            (ExpirationExtending.none, CacheType.disk), (.cacheTime, .disk),
            (.expirationTime(.expired), .none),
        ] {
            box.cache.clearMemoryCache()
            let hit = try await load([.diskCacheAccessExtendingExpiration(extending)])
            #expect(hit.cacheType == .disk)
            box.cache.clearMemoryCache()
            #expect(try await box.cache.diskStorageSize > 0)
            #expect(cached == after)
        }
    }

    @Test("The forced extension appears in the file name")
    func fileExtension() async throws {
        let named: KingfisherOptionsInfo = [.forcedCacheFileExtension("png")]
        try await load(named)
        let file = try #require(
            box.cache.cacheFileURLIfOnDisk(forKey: url.cacheKey, forcedExtension: "png"))
        #expect(file.pathExtension == "png")
        box.cache.clearMemoryCache()
        #expect(cached == .none)
        #expect(try await load(named).cacheType == .disk)
    }

    @Test("The write option .withoutOverwriting preserves an existing file")
    func writeOptions() async throws {
        try await load([.diskStoreWriteOptions([.atomic])])
        let jpeg: KingfisherOptionsInfo = [
            .forceRefresh, .cacheSerializer(FormatIndicatedCacheSerializer.jpeg),
        ]
        try await load(jpeg + [.diskStoreWriteOptions(.withoutOverwriting)])
        #expect(try stored().kf.imageFormat == .PNG)
        try await load(jpeg)
        #expect(try stored().kf.imageFormat == .JPEG)
    }

    @Test("A format serializer stores images in its format")
    func formats() async throws {
        try await load([])
        #expect(try stored().kf.imageFormat == .PNG)
        for (serializer, format) in [
            (FormatIndicatedCacheSerializer.jpeg, ImageFormat.JPEG), (.png, .PNG),
            (.jpeg(compressionQuality: 0.5), .JPEG),
        ] {
            try await load([.cacheSerializer(serializer), .forceRefresh])
            #expect(try stored().kf.imageFormat == format)
        }
    }

    @Test("An animation is stored as an animation")
    func animation() async throws {
        let cat = box.url("Photos/cat.gif")
        let options: KingfisherOptionsInfo = [
            .cacheSerializer(FormatIndicatedCacheSerializer.gif), .waitForCache,
        ]
        _ = try await box.manager.retrieveImage(with: cat, options: options)
        box.cache.clearMemoryCache()
        let read = try await box.manager.retrieveImage(with: cat, options: options)
        #expect(read.cacheType == .disk && read.image.kf.imageFrameCount == 8)
    }

    private func stored() throws -> Data {
        try Data(contentsOf: try #require(box.cache.cacheFileURLIfOnDisk(forKey: url.cacheKey)))
    }

    @Test("A serializer reduces the quality or stores the original")
    func quality() async throws {
        let photo = box.url("Photos/coffee.jpg")
        let original = try Fixtures.data(named: "Photos/coffee.jpg")
        var serializer = DefaultCacheSerializer()
        serializer.compressionQuality = 0.3
        #expect(!serializer.originalDataUsed)
        for (keeps, options) in [(false, [KingfisherOptionsInfoItem]()), (true, [.forceRefresh])] {
            serializer.preferCacheOriginalData = keeps
            _ = try await box.manager.retrieveImage(
                with: photo, options: options + [.cacheSerializer(serializer), .waitForCache])
            let file = try #require(box.cache.cacheFileURLIfOnDisk(forKey: photo.cacheKey))
            let data = try Data(contentsOf: file)
            #expect(keeps ? data == original : data.count < original.count && data.kf.imageFormat == .JPEG)
            #expect(serializer.originalDataUsed == keeps)
        }
    }

    @Test("A custom serializer encrypts images on disk")
    func ownSerializer() async throws {
        struct Sealed: CacheSerializer {
            func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
                let plain = original ?? DefaultCacheSerializer.default.data(with: image, original: original)
                return plain.map { Data($0.map { byte in byte ^ 0x5A }) }
            }

            func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
                let plain = Data(data.map { byte in byte ^ 0x5A })
                return DefaultCacheSerializer.default.image(with: plain, options: options)
            }

            let originalDataUsed = false
        }
        let options: KingfisherOptionsInfo = [.cacheSerializer(Sealed())]
        try await load(options)
        #expect(try stored().kf.imageFormat == .unknown)
        box.cache.clearMemoryCache()
        let read = try await load(options)
        #expect(read.cacheType == .disk && read.image.size == CGSize(width: 33, height: 21))
        // The processor finds the encrypted original on disk and needs no network.
        let thumbnail = DownsamplingImageProcessor(size: CGSize(width: 11, height: 7))
        let made = try await load(options + [.processor(thumbnail), .onlyFromCache])
        #expect(made.cacheType == .none && made.image.size == CGSize(width: 11, height: 7))
    }

    @Test("A serializer without output fails the disk store, but not the memory store")
    func noSerializer() async throws {
        struct Nothing: CacheSerializer {
            func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }
            func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
            var originalDataUsed: Bool { false }
        }
        let image = try #require(KFCrossPlatformImage(data: Fixtures.data(named: "PNG/rgb8.png")))
        let result: CacheStoreResult = await answer { done in
            box.cache.store(image, forKey: "one", cacheSerializer: Nothing(), completionHandler: done)
        }
        guard
            case .failure(.cacheError(reason: .cannotSerializeImage(let failed, let original, _))) =
                result.diskCacheResult
        else {
            Issue.record("\(result)")
            return
        }
        #expect(failed === image && original == nil && box.cache.imageCachedType(forKey: "one") == .memory)
    }
}
