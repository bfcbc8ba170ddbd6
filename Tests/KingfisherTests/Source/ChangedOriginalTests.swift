import Foundation
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Cached originals of local files that change, and who asks whether an image is cached.
@Suite struct ChangedOriginalTests {
    private typealias Rig = ChangedFileTests.Rig

    /// A file whose reads are counted.
    private struct CountedFile: LocalFileProvider {
        let file: URL
        let reads = Locked(0)

        var cacheKey: String { "counted" }
        var fileVersion: FileVersion? { file.path.withCString { FileVersion(locallyKnown: $0) } }

        func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
            reads.withLock { $0 += 1 }
            handler(Result { try Data(contentsOf: file) })
        }
    }

    private static func crop(_ width: CGFloat) -> KingfisherOptionsInfo {
        [.processor(CroppingImageProcessor(size: CGSize(width: width, height: 5)))]
    }

    @Test(arguments: [true, false])
    func `An outdated original is replaced by a request that does not store originals`(
        isInMemory: Bool
    ) async throws {
        let rig = try Rig()
        let provider = CountedFile(file: rig.file)
        let source = Source.provider(provider)
        if isInMemory {
            #expect(try await rig.load([], source).width == 10)
        } else {
            #expect(try await rig.load(Self.crop(5) + [.cacheOriginalImage], source).width == 5)
        }
        #expect(try await rig.load(Self.crop(6), source).width == 6)
        #expect(provider.reads.withLock { $0 } == 1)
        try rig.edit(.replacesByRename)
        for width in [17, 18, 19] {
            #expect(try await rig.load(Self.crop(CGFloat(width)), source).width == width)
            #expect(provider.reads.withLock { $0 } == 2)
        }
    }

    @Test func `A prefetcher loads the image of a changed file, and skips others`() async throws {
        let rig = try Rig()
        func prefetch(_ options: KingfisherOptionsInfo = []) async throws -> [Int] {
            let (prefetcher, reports) = rig.bench.prefetcher([rig.source], [.waitForCache] + options)
            prefetcher.start()
            return try await reports.end().counts
        }
        for isInMemory in [true, false] {
            try Rig.image(of: 10).write(to: rig.file)
            _ = try await rig.load()
            if !isInMemory { rig.bench.cache.clearMemoryCache() }
            #expect(try await prefetch() == [1, 0, 0])
            try rig.edit(.replacesByRename)
            #expect(try await prefetch([.trustsLocalFiles]) == [1, 0, 0])
            #expect(try await prefetch() == [0, 0, 1])
            #expect(try await rig.load() == (20, .memory))
            #expect(try await prefetch() == [1, 0, 0])
        }
        try FileManager.default.removeItem(at: rig.file)
        #expect(try await prefetch() == [1, 0, 0])
    }

    @Test func `With httpCaching, a prefetcher revalidates a stale image`() async throws {
        let rig = try FreshnessRig()
        func prefetch(_ options: KingfisherOptionsInfo) async throws -> [Int] {
            let reports = PrefetchReports()
            ImagePrefetcher(
                sources: [.network(rig.url)],
                options: [.targetCache(rig.cache), .downloader(rig.downloader), .waitForCache] + options,
                completionHandler: reports.sourceEnd
            ).start()
            let counts = try await reports.end().counts
            await rig.settle()
            return counts
        }
        for isInMemory in [true, false] {
            try await rig.loadAndAge()
            if !isInMemory { rig.cache.clearMemoryCache() }
            let before = rig.server.requestCount()
            #expect(try await prefetch([]) == [1, 0, 0])
            #expect(rig.server.requestCount() == before)
            // The 304 confirms the cached image.
            #expect(try await prefetch([.httpCaching]) == [1, 0, 0])
            #expect(rig.server.requestCount() == before + 1)
            #expect(try await prefetch([.httpCaching]) == [1, 0, 0])
            #expect(rig.server.requestCount() == before + 1)
        }
    }

    @Test func `A changed file of a live photo is loaded again`() async throws {
        let rig = try Rig()
        let film = rig.bench.folder.url.appending(path: "film.mov")
        try Data("film".utf8).write(to: film)
        let source = LivePhotoSource(urls: [rig.file, film])
        func retrieve(_ options: KingfisherOptionsInfo = []) async throws -> (loaded: Int, files: [Data]) {
            let result = try await rig.bench.manager.retrieveLivePhoto(with: source, options: options)
            #expect((result.cacheType == .disk) == result.data().isEmpty)
            return (result.data().count, try result.fileURLs.map { try Data(contentsOf: $0) })
        }
        let (old, new) = (try Rig.image(of: 10), try Rig.image(of: 20))
        #expect(try await retrieve() == (2, [old, Data("film".utf8)]))
        #expect(try await retrieve() == (0, [old, Data("film".utf8)]))
        try rig.edit(.replacesByRename)
        #expect(try await retrieve([.trustsLocalFiles]) == (0, [old, Data("film".utf8)]))
        #expect(try await retrieve() == (1, [new, Data("film".utf8)]))
        #expect(try await retrieve() == (0, [new, Data("film".utf8)]))
    }

    /// Overrides the method that stores originals and files of live photos, and stores a byte more.
    // Unchecked, as its superclass: its only property is a constant of a sendable type.
    private final class TrailingCache: ImageCache, @unchecked Sendable {
        let keys = Locked<[String]>([])

        override func storeToDisk(
            _ data: Data, forKey key: String, processorIdentifier identifier: String = "",
            forcedExtension: String? = nil, expiration: StorageExpiration? = nil,
            callbackQueue: CallbackQueue = .untouch,
            completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
        ) {
            keys.withLock { $0.append(key) }
            super.storeToDisk(
                data + Data([0]), forKey: key, processorIdentifier: identifier,
                forcedExtension: forcedExtension, expiration: expiration, callbackQueue: callbackQueue,
                completionHandler: completionHandler)
        }
    }

    @Test func `A cache subclass stores originals of local files, with their version`() async throws {
        let rig = try Rig()
        let cache = try TrailingCache(
            name: "own", cacheDirectoryURL: rig.bench.folder.url.appending(path: "own"))
        let provider = CountedFile(file: rig.file)
        func load(_ width: CGFloat) async throws -> Int {
            try await rig.load(
                Self.crop(width) + [.cacheOriginalImage, .targetCache(cache)], .provider(provider)
            ).width
        }
        #expect(try await load(5) == 5)
        #expect(cache.keys.withLock { $0 } == ["counted"])
        #expect(try await load(6) == 6)
        #expect(provider.reads.withLock { $0 } == 1)
        try rig.edit(.replacesByRename)
        #expect(try await load(17) == 17)
        #expect(try await load(18) == 18)
        #expect(provider.reads.withLock { $0 } == 2)
        #expect(cache.keys.withLock { $0 } == ["counted", "counted"])
        let entry = try cache.diskStorage.entry(
            forKey: "counted", forcedExtension: nil, extendingExpiration: .none)
        #expect(try entry?.payload == Rig.image(of: 20) + Data([0]))
    }
}
