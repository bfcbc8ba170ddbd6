import Foundation
import Kingfisher
import Testing

/// Every option is used by a program of this suite.
@Suite struct OptionCoverageTests {
    /// One item of each option in api.md; the compiler checks the payloads.
    static let items: [KingfisherOptionsInfoItem] = [
        .targetCache(.default), .originalCache(.default), .downloader(.default), .transition(.none),
        .downloadPriority(0.5), .forceRefresh, .fromMemoryCacheOrRefresh, .forceTransition, .cacheMemoryOnly,
        .waitForCache, .onlyFromCache, .backgroundDecode, .callbackQueue(.mainAsync), .scaleFactor(1),
        .preloadAllAnimationData, .requestModifier(AnyModifier { $0 }),
        .redirectHandler(AnyRedirectHandler { _, _, request, done in done(request) }),
        .processor(DefaultImageProcessor.default), .cacheSerializer(DefaultCacheSerializer.default),
        .imageModifier(AnyImageModifier { $0 }), .keepCurrentImageWhileLoading, .onlyLoadFirstFrame,
        .cacheOriginalImage, .onFailureImage(nil), .alsoPrefetchToMemory, .loadDiskFileSynchronously,
        .asyncCacheTypeCheck, .diskStoreWriteOptions([]), .memoryCacheExpiration(.never),
        .memoryCacheAccessExtendingExpiration(.cacheTime), .diskCacheExpiration(.never),
        .diskCacheAccessExtendingExpiration(.cacheTime), .processingQueue(.untouch),
        .progressiveJPEG(.default), .alternativeSources([]), .retryStrategy(NetworkRetryStrategy()),
        .lowDataMode(nil), .forcedCacheFileExtension(nil),
    ]

    /// The spelling of an option in code: `.scaleFactor(`, or `.forceRefresh` without a payload.
    private static func spelling(_ item: KingfisherOptionsInfoItem) -> String {
        Mirror(reflecting: item).children.first?.label.map { ".\($0)(" } ?? ".\(item)"
    }

    @Test("The list contains each option once")
    func list() {
        #expect(Self.items.count == 38 && Set(Self.items.map(Self.spelling)).count == 38)
    }

    @Test("A program uses the option", arguments: items.map(spelling))
    func used(option: String) throws {
        let own = URL(fileURLWithPath: #filePath)
        let suite = own.deletingLastPathComponent().deletingLastPathComponent()
        // Builder functions are spelled like options.
        let others = [own.lastPathComponent, "BuilderTests.swift"]
        let files = try #require(FileManager.default.enumerator(at: suite, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" && !others.contains($0.lastPathComponent) }
        #expect(files.count > 10)
        #expect(try files.contains { try String(contentsOf: $0, encoding: .utf8).contains(option) })
    }

    @Test("Later options override earlier ones, and all have a default")
    func parsed() {
        let parsed = KingfisherParsedOptionsInfo([
            .scaleFactor(2), .scaleFactor(3), .cacheOriginalImage, .downloadPriority(1),
            .targetCache(.default),
        ])
        #expect(parsed.scaleFactor == 3 && parsed.cacheOriginalImage && parsed.downloadPriority == 1)
        #expect(parsed.originalCache === ImageCache.default)

        let plain = KingfisherParsedOptionsInfo(nil)
        #expect(plain.scaleFactor == 1 && plain.downloadPriority == URLSessionTask.defaultPriority)
        #expect(plain.targetCache == nil && plain.downloader == nil && plain.retryStrategy == nil)
        #expect(!plain.forceRefresh && !plain.waitForCache && !plain.onlyLoadFirstFrame)
        #expect(plain.processor.identifier == "" && plain.diskStoreWriteOptions == [])
        #expect(plain.onFailureImage == nil && plain.forcedExtension == nil && plain.lowDataModeSource == nil)
    }
}
