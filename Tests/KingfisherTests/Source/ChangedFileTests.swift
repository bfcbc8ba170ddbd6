import Foundation
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Cached images of local files that change.
@Suite struct ChangedFileTests {
    /// How a program changes a file.
    enum Edit: String, CaseIterable, Sendable {
        case replacesByRename, writesInPlace, touches

        func apply(_ new: Data, to file: URL) throws {
            switch self {
            case .replacesByRename: try new.write(to: file, options: .atomic)
            case .writesInPlace:
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: new)
                try handle.close()
            case .touches:
                try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            }
        }
    }

    /// A file in a folder, and a bench whose caches have its image.
    struct Rig: Sendable {
        let bench: Bench
        let file: URL

        init() throws {
            bench = try Bench()
            file = bench.folder.url.appending(path: "photo.png")
            try Self.image(of: 10).write(to: file)
            // A date in the past, so that the next one differs in any file system.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -100)], ofItemAtPath: file.path)
        }

        var source: Source { file.convertToSource() }

        static func image(of width: Int) throws -> Data {
            let pixels = try PixelBuffer.make(
                [Int](repeating: 200, count: width * 10 * 4), width: width, format: .rgba8Straight)
            return try PNGCodec().encode(pixels, options: ImageEncodingOptions())
        }

        func load(
            _ options: KingfisherOptionsInfo = [], _ source: Source? = nil
        ) async throws -> (width: Int, from: CacheType) {
            let result = try await bench.manager.retrieveImage(
                with: source ?? self.source, options: options + [.waitForCache, .callbackQueue(.untouch)])
            return (result.image.pixels?.width ?? 0, result.cacheType)
        }

        func edit(_ edit: Edit) throws {
            try edit.apply(Self.image(of: edit == .touches ? 10 : 20), to: file)
        }
    }

    private static let processed: KingfisherOptionsInfo = [
        .processor(CroppingImageProcessor(size: CGSize(width: 15, height: 5))), .cacheOriginalImage,
    ]

    @Test(arguments: Edit.allCases, [true, false])
    func `A changed file is loaded again`(edit: Edit, isInMemory: Bool) async throws {
        let rig = try Rig()
        for options in [[], Self.processed] {
            try Rig.image(of: 10).write(to: rig.file)
            _ = try await rig.load(options)
            if !isInMemory { rig.bench.cache.clearMemoryCache() }
            let cached = try await rig.load(options)
            #expect(cached.width == 10 && cached.from == (isInMemory ? .memory : .disk))
            try rig.edit(edit)
            if !isInMemory { rig.bench.cache.clearMemoryCache() }
            let loaded = try await rig.load(options)
            #expect(loaded.width == (edit == .touches ? 10 : options.isEmpty ? 20 : 15))
            #expect(loaded.from == .none)
            // The new image has replaced the old one in both caches.
            #expect(try await rig.load(options).from == .memory)
            rig.bench.cache.clearMemoryCache()
            #expect(try await rig.load(options) == (loaded.width, .disk))
        }
    }

    @Test(arguments: [true, false])
    func `A changed file gives its new encoded image`(isInMemory: Bool) async throws {
        let rig = try Rig()
        func width() async throws -> Int? {
            let data = try await rig.bench.manager.retrieveData(with: rig.source, options: [.waitForCache])
                .data
            return Image(data: data)?.pixels?.width
        }
        #expect(try await width() == 10)
        if !isInMemory { rig.bench.cache.encodedStorage.removeAll() }
        try rig.edit(.replacesByRename)
        #expect(try await width() == 20)
        let file = try await rig.bench.manager.retrieveFile(with: rig.source)
        #expect(try Image(data: file.read(count: file.byteCount))?.pixels?.width == 20)
        try Rig.image(of: 30).write(to: rig.file)
        let changed = try await rig.bench.manager.retrieveFile(with: rig.source)
        #expect(try Image(data: changed.read(count: changed.byteCount))?.pixels?.width == 30)
    }

    @Test func `An original on disk of an earlier version is not processed`() async throws {
        let rig = try Rig()
        _ = try await rig.load(Self.processed)
        try rig.edit(.replacesByRename)
        rig.bench.cache.clearMemoryCache()
        let other = CroppingImageProcessor(size: CGSize(width: 18, height: 5))
        let loaded = try await rig.load([.processor(other)])
        #expect(loaded == (18, .none))
    }

    @Test func `With trustsLocalFiles, the cached image of a changed file is used`() async throws {
        let rig = try Rig()
        _ = try await rig.load()
        try rig.edit(.replacesByRename)
        #expect(try await rig.load([.trustsLocalFiles]) == (10, .memory))
        rig.bench.cache.clearMemoryCache()
        #expect(try await rig.load([.trustsLocalFiles]) == (10, .disk))
        #expect(try await rig.load() == (20, .none))
    }

    @Test func `An image that was loaded with trustsLocalFiles is compared by others`() async throws {
        let rig = try Rig()
        _ = try await rig.load([.trustsLocalFiles])
        #expect(try await rig.load() == (10, .memory))
        try rig.edit(.replacesByRename)
        #expect(try await rig.load() == (20, .none))
    }

    @Test func `An old file on disk is not delivered for a newer image in memory`() async throws {
        let rig = try Rig()
        let old = try await rig.bench.manager.retrieveFile(with: rig.source)
        #expect(try Image(data: old.read(count: old.byteCount))?.pixels?.width == 10)
        try rig.edit(.replacesByRename)
        #expect(try await rig.load([.cacheMemoryOnly]) == (20, .none))
        let file = try await rig.bench.manager.retrieveFile(with: rig.source)
        #expect(try Image(data: file.read(count: file.byteCount))?.pixels?.width == 20)
        let data = try await rig.bench.manager.retrieveData(with: rig.source).data
        #expect(Image(data: data)?.pixels?.width == 20)
    }

    @Test func `The image of a deleted file, and one that a program has stored, are used`() async throws {
        let rig = try Rig()
        _ = try await rig.load()
        try FileManager.default.removeItem(at: rig.file)
        #expect(try await rig.load() == (10, .memory))
        rig.bench.cache.clearMemoryCache()
        #expect(try await rig.load() == (10, .disk))

        let stored = try Rig()
        let image = try #require(Image(data: Rig.image(of: 30)))
        try await stored.bench.cache.store(image, forKey: stored.source.cacheKey)
        #expect(try await stored.load() == (30, .memory))
        stored.bench.cache.clearMemoryCache()
        #expect(try await stored.load() == (30, .disk))
    }

    /// Replaces its file after it has read the old bytes.
    private struct EditingProvider: LocalFileProvider {
        let file: URL

        var cacheKey: String { "edited" }
        var fileVersion: FileVersion? { file.path.withCString { FileVersion(locallyKnown: $0) } }

        func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
            handler(
                Result {
                    let old = try Data(contentsOf: file)
                    try Edit.replacesByRename.apply(Rig.image(of: 20), to: file)
                    return old
                })
        }
    }

    @Test func `A file that changes while it is read is loaded again by the next request`() async throws {
        let rig = try Rig()
        let source = Source.provider(EditingProvider(file: rig.file))
        #expect(try await rig.load([], source) == (10, .none))
        #expect(try await rig.load([], source) == (20, .none))
    }

    @Test func `Thumbnails of a changed file are made again`() async throws {
        let rig = try Rig()
        let source = Source.provider(ThumbnailImageDataProvider(url: rig.file, maxPixelSize: 100))
        #expect(try await rig.load([], source) == (10, .none))
        #expect(try await rig.load([], source) == (10, .memory))
        try rig.edit(.replacesByRename)
        #expect(try await rig.load([], source) == (20, .none))
    }

    @Test func `Tiers have no images of local files, unless they are trusted`() async throws {
        let tier = MemoryTier()
        let rig = try Rig()
        rig.bench.manager.tiers = [tier]
        _ = try await rig.load()
        // Writes are in order, so the first one would be there before the second.
        _ = try await rig.load([.trustsLocalFiles, .forceRefresh])
        #expect(await poll { !tier.entries.isEmpty })
        #expect(tier.writes.count == 1)
    }

    @Test func `A view that asks again shows the new image`() async throws {
        let rig = try Rig()
        _ = try await rig.load()
        #expect(
            rig.bench.manager.imageInMemory(of: rig.source, options: KingfisherParsedOptionsInfo(nil)) != nil)
        try rig.edit(.replacesByRename)
        #expect(
            rig.bench.manager.imageInMemory(of: rig.source, options: KingfisherParsedOptionsInfo(nil)) == nil)
    }
}
