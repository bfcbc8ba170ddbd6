import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct OptionsTests {
    private func flags(of options: KingfisherParsedOptionsInfo) -> [Bool] {
        [
            options.forceRefresh, options.fromMemoryCacheOrRefresh, options.forceTransition,
            options.cacheMemoryOnly, options.waitForCache, options.onlyFromCache,
            options.preloadAllAnimationData, options.onlyLoadFirstFrame, options.cacheOriginalImage,
            options.loadDiskFileSynchronously, options.backgroundDecode, options.alsoPrefetchToMemory,
            options.asyncCacheTypeCheck, options.keepCurrentImageWhileLoading, options.acceptsPartialImages,
            options.httpCaching, options.trustsLocalFiles, options.watchesFile,
        ]
    }

    @Test("Without options every field has its default", .behaviours("O-2"))
    func defaults() {
        for options in [KingfisherParsedOptionsInfo(nil), KingfisherParsedOptionsInfo([])] {
            #expect(!flags(of: options).contains(true))
            #expect(options.scaleFactor == 1)
            #expect(options.downloadPriority == URLSessionTask.defaultPriority)
            #expect(options.downloadPriority == 0.5)
            #expect(options.diskStoreWriteOptions == [])
            #expect(options.processor.identifier == "")
            #expect(options.cacheSerializer is DefaultCacheSerializer)
            #expect(options.targetCache == nil && options.originalCache == nil && options.downloader == nil)
            #expect(options.requestModifier == nil && options.redirectHandler == nil)
            #expect(options.imageModifier == nil && options.processingQueue == nil)
            #expect(options.memoryCacheExpiration == nil && options.diskCacheExpiration == nil)
            #expect(options.forcedExtension == nil && options.onFailureImage == nil)
            #expect(options.retryStrategy == nil && options.progressiveJPEG == nil)
            #expect(options.alternativeSources == nil && options.lowDataModeSource == nil)
            #expect(options.lowResolution == nil)
            #expect(options.negativeCaching == nil && options.httpFreshnessBounds == HTTPFreshnessBounds())
            guard case .none = options.transition, case .mainCurrentOrAsync = options.callbackQueue,
                case .cacheTime = options.memoryCacheAccessExtendingExpiration,
                case .cacheTime = options.diskCacheAccessExtendingExpiration
            else {
                Issue.record("\(options)")
                return
            }
        }
    }

    @Test("Later items override earlier ones, and flags stay set", .behaviours("O-1"))
    func laterItemsWin() {
        let options = KingfisherParsedOptionsInfo([
            .scaleFactor(2), .forceRefresh, .scaleFactor(3), .downloadPriority(0.1), .downloadPriority(0.7),
            .processor(CountingProcessor("a")), .processor(CountingProcessor("b")), .forceRefresh,
            .forcedCacheFileExtension("jpg"), .forcedCacheFileExtension(nil),
            .negativeCaching(NegativeCaching()), .negativeCaching(nil),
        ])
        #expect(options.scaleFactor == 3)
        #expect(options.forceRefresh)
        #expect(options.downloadPriority == 0.7)
        #expect(options.processor.identifier == "b")
        #expect(options.forcedExtension == nil && options.negativeCaching == nil)
    }

    @Test("Each item sets its field", .behaviours("O-1"))
    func everyItem() throws {
        let modifier = CountingModifier()
        let options = KingfisherParsedOptionsInfo([
            .transition(.fade(0.3)), .forceRefresh, .fromMemoryCacheOrRefresh, .forceTransition,
            .cacheMemoryOnly, .waitForCache, .onlyFromCache, .callbackQueue(.untouch),
            .preloadAllAnimationData, .requestModifier(AnyModifier { $0 }),
            .redirectHandler(AnyRedirectHandler { $3($2) }),
            .cacheSerializer(FormatIndicatedCacheSerializer.png), .imageModifier(modifier),
            .onlyLoadFirstFrame, .cacheOriginalImage, .loadDiskFileSynchronously,
            .diskStoreWriteOptions(.withoutOverwriting),
            .memoryCacheExpiration(.never), .memoryCacheAccessExtendingExpiration(.none),
            .diskCacheExpiration(.never), .diskCacheAccessExtendingExpiration(.none),
            .processingQueue(.untouch), .forcedCacheFileExtension("jpg"), .backgroundDecode,
            .alsoPrefetchToMemory, .asyncCacheTypeCheck, .watchesFile,
            .keepCurrentImageWhileLoading, .retryStrategy(DelayRetryStrategy(maxRetryCount: 7)),
            .progressiveJPEG(ImageProgressive()), .alternativeSources([.network(Bench.freshURL())]),
            .lowDataMode(.network(Bench.freshURL())), .onFailureImage(nil), .acceptsPartialImages,
            .httpCaching, .trustsLocalFiles, .negativeCaching(NegativeCaching(duration: 7)),
            .httpFreshnessBounds(HTTPFreshnessBounds(defaultLifetime: 8)), .lowResolution(nil),
        ])
        #expect(options.negativeCaching?.duration == 7)
        #expect((options.retryStrategy as? DelayRetryStrategy)?.maxRetryCount == 7)
        #expect(options.progressiveJPEG != nil && options.alternativeSources?.count == 1)
        #expect(options.lowDataModeSource != nil && options.onFailureImage == .some(nil))
        #expect(options.httpFreshnessBounds.defaultLifetime == 8 && options.lowResolution == .some(nil))
        #expect(!flags(of: options).contains(false))
        #expect(options.requestModifier != nil && options.redirectHandler != nil)
        #expect(options.cacheSerializer is FormatIndicatedCacheSerializer)
        #expect(options.imageModifier as? CountingModifier === modifier)
        #expect(options.diskStoreWriteOptions == .withoutOverwriting)
        #expect(options.forcedExtension == "jpg")
        guard case .fade(0.3) = options.transition, case .untouch = options.callbackQueue,
            case .never = options.memoryCacheExpiration, case .never = options.diskCacheExpiration,
            case .none = options.memoryCacheAccessExtendingExpiration,
            case .none = options.diskCacheAccessExtendingExpiration, case .untouch = options.processingQueue
        else {
            Issue.record("\(options)")
            return
        }
    }

    @Test("The original cache falls back to the target cache when parsed", .behaviours("O-1"))
    func originalCache() throws {
        let (one, two) = (try Bench(), try Bench())
        let fallen = KingfisherParsedOptionsInfo([.targetCache(one.cache)])
        #expect(fallen.originalCache === one.cache)
        for items: KingfisherOptionsInfo in [
            [.targetCache(one.cache), .originalCache(two.cache)],
            [.originalCache(two.cache), .targetCache(one.cache)],
        ] {
            let options = KingfisherParsedOptionsInfo(items)
            #expect(options.targetCache === one.cache)
            #expect(options.originalCache === two.cache)
        }
    }
}
