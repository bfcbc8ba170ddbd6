import Foundation
import KingfisherImage
import Kingfisher
import KingfisherTestSupport
import Testing

/// A modifier and the equivalent option.
private struct Row: Sendable, CustomTestStringConvertible {
    let field: String
    let item: KingfisherOptionsInfoItem
    let modify: @Sendable (KF.Builder) -> KF.Builder

    init(
        _ field: String, _ item: KingfisherOptionsInfoItem,
        _ modify: @escaping @Sendable (KF.Builder) -> KF.Builder
    ) {
        self.field = field
        self.item = item
        self.modify = modify
    }

    var testDescription: String { "\(item)" }
}

/// A modifier with a Boolean argument that defaults to true.
private struct Flag: Sendable, CustomTestStringConvertible {
    let field: String
    let modify: @Sendable (KF.Builder) -> KF.Builder
    let set: @Sendable (KF.Builder, Bool) -> KF.Builder

    init(
        _ field: String, _ modify: @escaping @Sendable (KF.Builder) -> KF.Builder,
        _ set: @escaping @Sendable (KF.Builder, Bool) -> KF.Builder
    ) {
        self.field = field
        self.modify = modify
        self.set = set
    }

    var testDescription: String { field }
}

/// A class, so that instances can be compared by identity.
private final class NoRetry: RetryStrategy {
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        retryHandler(.stop)
    }
}

private struct SetterFixture {
    let bench: Bench
    let image: Image

    static func make() throws -> SetterFixture {
        SetterFixture(bench: try Bench(), image: try .blank())
    }

    var source: Source { .network(bench.url) }

    var rows: [Row] {
        let (cache, downloader, source, image) = (bench.cache, bench.downloader, source, image)
        let (modifier, processor) = (CountingModifier(), CountingProcessor("own"))
        let requests = AnyModifier { $0 }
        let redirects = AnyRedirectHandler { _, _, request, answer in answer(request) }
        let queue = DispatchQueue(label: "own")
        let (strategy, context) = (NoRetry(), DecodingContext())
        return [
            Row("targetCache", .targetCache(cache)) { $0.targetCache(cache) },
            Row("originalCache", .originalCache(cache)) { $0.originalCache(cache) },
            Row("downloader", .downloader(downloader)) { $0.downloader(downloader) },
            Row("downloadPriority", .downloadPriority(0.75)) { $0.downloadPriority(0.75) },
            Row("callbackQueue", .callbackQueue(.dispatch(queue))) { $0.callbackQueue(.dispatch(queue)) },
            Row("scaleFactor", .scaleFactor(2)) { $0.scaleFactor(2) },
            Row("diskStoreWriteOptions", .diskStoreWriteOptions(.withoutOverwriting)) {
                $0.diskStoreWriteOptions(.withoutOverwriting)
            },
            Row("decodingContext", .decodingContext(context)) { $0.decodingContext(context) },
            Row("httpFreshnessBounds", .httpFreshnessBounds(HTTPFreshnessBounds(minimumLifetime: 9))) {
                $0.httpFreshnessBounds(HTTPFreshnessBounds(minimumLifetime: 9))
            },
            Row("negativeCaching", .negativeCaching(NegativeCaching())) { $0.negativeCaching() },
            Row("negativeCaching", .negativeCaching(NegativeCaching(duration: 9))) {
                $0.negativeCaching(NegativeCaching(duration: 9))
            },
            Row("tags", .tags(["a", "b"])) { $0.tags(["a", "b"]) },
            Row("processingQueue", .processingQueue(.untouch)) { $0.processingQueue(.untouch) },
            Row("alternativeSources", .alternativeSources([source])) { $0.alternativeSources([source]) },
            Row("retryStrategy", .retryStrategy(strategy)) { $0.retry(strategy) },
            Row("progressiveJPEG", .progressiveJPEG(ImageProgressive())) { $0.progressiveJPEG() },
            Row("lowDataModeSource", .lowDataMode(source)) { $0.lowDataModeSource(source) },
            Row("lowResolution", .lowResolution(source)) { $0.lowResolution(source) },
            Row("lowResolution", .lowResolution(nil)) { $0.lowResolution(nil) },
            Row("onFailureImage", .onFailureImage(image)) { $0.onFailureImage(image) },
            Row("onFailureImage", .onFailureImage(nil)) { $0.onFailureImage(nil) },
            Row("requestModifier", .requestModifier(requests)) { $0.requestModifier(requests) },
            Row("redirectHandler", .redirectHandler(redirects)) { $0.redirectHandler(redirects) },
            Row("imageModifier", .imageModifier(modifier)) { $0.imageModifier(modifier) },
            Row("givenProcessor", .processor(processor)) { $0.setProcessor(processor) },
            Row("cacheSerializer", .cacheSerializer(FormatIndicatedCacheSerializer.png)) {
                $0.serialize(by: FormatIndicatedCacheSerializer.png)
            },
            Row("memoryCacheExpiration", .memoryCacheExpiration(.days(3))) {
                $0.memoryCacheExpiration(.days(3))
            },
            Row("memoryCacheAccessExtendingExpiration", .memoryCacheAccessExtendingExpiration(.none)) {
                $0.memoryCacheAccessExtending(.none)
            },
            Row("diskCacheExpiration", .diskCacheExpiration(.seconds(7))) {
                $0.diskCacheExpiration(.seconds(7))
            },
            Row("diskCacheAccessExtendingExpiration", .diskCacheAccessExtendingExpiration(.none)) {
                $0.diskCacheAccessExtending(.none)
            },
            Row("transition", .transition(.fade(0.5))) { $0.transition(.fade(0.5)) },
            Row("transition", .transition(.fade(0.25))) { $0.fade(duration: 0.25) },
        ]
    }

    static let flags = [
        Flag("forceRefresh", { $0.forceRefresh() }, { $0.forceRefresh($1) }),
        Flag(
            "fromMemoryCacheOrRefresh", { $0.fromMemoryCacheOrRefresh() },
            { $0.fromMemoryCacheOrRefresh($1) }),
        Flag("backgroundDecode", { $0.backgroundDecode() }, { $0.backgroundDecode($1) }),
        Flag("cacheMemoryOnly", { $0.cacheMemoryOnly() }, { $0.cacheMemoryOnly($1) }),
        Flag("waitForCache", { $0.waitForCache() }, { $0.waitForCache($1) }),
        Flag("onlyFromCache", { $0.onlyFromCache() }, { $0.onlyFromCache($1) }),
        Flag("cacheOriginalImage", { $0.cacheOriginalImage() }, { $0.cacheOriginalImage($1) }),
        Flag(
            "loadDiskFileSynchronously", { $0.loadDiskFileSynchronously() },
            { $0.loadDiskFileSynchronously($1) }),
        Flag("forceTransition", { $0.forceTransition() }, { $0.forceTransition($1) }),
        Flag(
            "keepCurrentImageWhileLoading", { $0.keepCurrentImageWhileLoading() },
            { $0.keepCurrentImageWhileLoading($1) }),
        Flag("onlyLoadFirstFrame", { $0.onlyLoadFirstFrame() }, { $0.onlyLoadFirstFrame($1) }),
        Flag(
            "processesAnimatedFrames", { $0.processesAnimatedFrames() },
            { $0.processesAnimatedFrames($1) }),
        Flag("acceptsPartialImages", { $0.acceptsPartialImages() }, { $0.acceptsPartialImages($1) }),
        Flag("httpCaching", { $0.httpCaching() }, { $0.httpCaching($1) }),
        Flag("watchesFile", { $0.watchesFile() }, { $0.watchesFile($1) }),
        Flag("trustsLocalFiles", { $0.trustsLocalFiles() }, { $0.trustsLocalFiles($1) }),
        Flag("decodesToViewSize", { $0.decodesToViewSize() }, { $0.decodesToViewSize($1) }),
    ]
}

@Suite @MainActor struct OptionSetterTests {
    @Test("Every modifier sets the same value as its option and changes no other option")
    func values() throws {
        for row in try SetterFixture.make().rows {
            let builder = KF.url(Bench.freshURL())
            let before = OptionFields(builder.options)
            #expect(row.modify(builder) === builder)
            let after = OptionFields(builder.options)
            #expect(after.changes(since: before) == [row.field])
            let wanted = OptionFields(KingfisherParsedOptionsInfo([row.item]))
            #expect(after[row.field] == wanted[row.field])
        }
    }

    @Test(
        "Every flag is set by its modifier and cleared by false; no other option changes",
        arguments: SetterFixture.flags)
    private func flag(_ flag: Flag) {
        let builder = KF.url(Bench.freshURL())
        let before = OptionFields(builder.options)
        for (setting, wanted) in [(true, "true"), (false, "false"), (true, "true")] {
            #expect(flag.set(builder, setting) === builder)
            let after = OptionFields(builder.options)
            #expect(after[flag.field] == wanted)
            #expect(after.changes(since: before) == (setting ? [flag.field] : []))
        }
        #expect(flag.modify(flag.set(builder, false)) === builder)
        #expect(OptionFields(builder.options)[flag.field] == "true")
        #expect(OptionFields(builder.options).changes(since: before) == [flag.field])
    }

    @Test("Every option has a modifier, except those that builders do not offer")
    func complete() throws {
        let covered = try Set(SetterFixture.make().rows.map(\.field) + SetterFixture.flags.map(\.field))
        let left = OptionFields(KingfisherParsedOptionsInfo(nil)).names.subtracting(covered)
        // Plain image views preload anyway, and file extensions belong to the cache. Views do not prefetch or
        // check the disk synchronously. A builder gets its manager at the start. `resumable` is true by
        // default; see below.
        #expect(
            left == [
                "preloadAllAnimationData", "forcedExtension", "alsoPrefetchToMemory", "asyncCacheTypeCheck",
                "manager", "resumable", "handover",
            ])
        for isResumable in [false, true] {
            #expect(KF.url(Bench.freshURL()).resumable(isResumable).options.resumable == isResumable)
        }
        #expect(
            KingfisherParsedOptionsInfo(nil).resumable
                && !KingfisherParsedOptionsInfo([.resumable(false)]).resumable)
    }

    @Test("Nil resets an option")
    func nils() throws {
        let fixture = try SetterFixture.make()
        let builder = KF.url(fixture.bench.url)
        let before = OptionFields(builder.options)
        _ = builder.memoryCacheExpiration(.never).diskCacheExpiration(.never).processingQueue(.untouch)
            .alternativeSources([fixture.source]).lowDataModeSource(fixture.source)
            .imageModifier(CountingModifier()).retry(NoRetry()).progressiveJPEG()
        #expect(OptionFields(builder.options).changes(since: before).count == 8)
        _ = builder.memoryCacheExpiration(nil).diskCacheExpiration(nil).processingQueue(nil)
            .alternativeSources(nil).lowDataModeSource(nil).imageModifier(nil)
            .retry(nil).progressiveJPEG(nil)
        #expect(OptionFields(builder.options) == before)
    }

    @Test("retry(maxCount:interval:) sets a DelayRetryStrategy with a default interval of 3 seconds")
    func retry() throws {
        let plain = try #require(
            KF.url(Bench.freshURL()).retry(maxCount: 4).options.retryStrategy as? DelayRetryStrategy)
        guard case .seconds(3) = plain.retryInterval, plain.maxRetryCount == 4 else {
            Issue.record("\(plain)")
            return
        }
        let other = KF.url(Bench.freshURL()).retry(maxCount: 1, interval: .accumulated(2)).options
            .retryStrategy
        guard case .accumulated(2)? = (other as? DelayRetryStrategy)?.retryInterval else {
            Issue.record("\(String(describing: other))")
            return
        }
    }

    @Test("The last modifier wins")
    func laterWins() {
        let options = KF.url(Bench.freshURL()).scaleFactor(2).fade(duration: 1).scaleFactor(3).transition(
            .none
        )
        .options
        #expect(options.scaleFactor == 3)
        guard case .none = options.transition else {
            Issue.record("\(options.transition)")
            return
        }
    }

    @Test("serialize(as:) sets the serializer of the format and its quality")
    func serializeAs() throws {
        let image = try TestImages.image(try TestImages.jpeg)
        func file(_ format: ImageFormat, quality: CGFloat? = nil, original: Data? = nil) -> Data? {
            KF.url(Bench.freshURL()).serialize(as: format, jpegCompressionQuality: quality).options
                .cacheSerializer.data(with: image, original: original)
        }
        #expect(file(.PNG) == FormatIndicatedCacheSerializer.png.data(with: image, original: nil))
        #expect(file(.JPEG) == FormatIndicatedCacheSerializer.jpeg.data(with: image, original: nil))
        #expect(file(.JPEG, quality: 0.3) == image.jpegData(compressionQuality: 0.3))
        #expect(file(.JPEG, quality: 0.3) != file(.JPEG))
        #expect(file(.GIF, quality: 0.3)?.kf.imageFormat == .PNG)
        #expect(file(.unknown, original: try TestImages.jpeg)?.kf.imageFormat == .JPEG)
        let animation = try TestImages.animation
        #expect(
            KF.url(Bench.freshURL()).serialize(as: .GIF).options.cacheSerializer.data(
                with: animation, original: nil) == (try TestImages.gif))
    }

    /// A setter that returns copies, so that its modifiers do not change it.
    private struct ValueSetter: KFOptionSetter {
        private let builder = KF.source(nil)

        var options: KingfisherParsedOptionsInfo {
            get { builder.options }
            nonmutating set { builder.options = newValue }
        }
        var onFailureDelegate: Delegate<KingfisherError, Void> { builder.onFailureDelegate }
        var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { builder.onSuccessDelegate }
        var onProgressDelegate: Delegate<(Int64, Int64), Void> { builder.onProgressDelegate }

        func copyForMutation() -> ValueSetter {
            let copy = ValueSetter()
            copy.options = options
            return copy
        }
    }

    @Test("Modifiers change the copy that the setter returns")
    func copyForMutation() {
        let setter = ValueSetter()
        #expect(setter.scaleFactor(2).options.scaleFactor == 2)
        #expect(setter.appendProcessor(CountingProcessor("own")).options.processor.identifier == "|>own")
        #expect(setter.onSuccess { _ in }.onSuccessDelegate.isSet)
        #expect(setter.onFailure { _ in }.onFailureDelegate.isSet)
        #expect(setter.onProgress { _, _ in }.onProgressDelegate.isSet)
        #expect(setter.options.scaleFactor == 1 && setter.options.processor.identifier.isEmpty)
        #expect(!setter.onSuccessDelegate.isSet && !setter.onFailureDelegate.isSet)
        #expect(!setter.onProgressDelegate.isSet)
    }
}
