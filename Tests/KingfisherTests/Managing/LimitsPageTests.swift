import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher
@testable import KingfisherImage
@testable import KingfisherStorage
@testable import KingfisherTransport

/// The figures of SECURITY.md, compared with those in the sources.
@Suite struct LimitsPageTests {
    /// The figures of the tables, by name.
    private let table: [String: String]
    private let folder: TemporaryFolder
    private let cache: ImageCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "limits", cacheDirectoryURL: folder.url)
        let page = try RepositoryPage.text("SECURITY.md")
        let rows = page.matches(of: #/(?m)^\|[^|]+\| ([^|]+) \| `([^`]+)` \|$/#)
        table = Dictionary(uniqueKeysWithValues: rows.map { (String($0.2), String($0.1)) })
    }

    @Test("Every figure in the tables of limits is that of the source, and every row is checked")
    func figures() throws {
        let limits = [images, network, caches, servers].reduce(into: [:]) { all, some in
            all.merge(some) { $1 }
        }
        for (name, figure) in limits { #expect(table[name] == figure, "\(name)") }
        #expect(Set(table.keys).subtracting(limits.keys) == Self.checkedElsewhere)
    }

    @Test("A cache made by name takes a quarter of the available memory")
    func memory() throws {
        #expect(cache.memoryStorage.config.totalCostLimit == MemoryBudget.current.share(oneIn: 4))
    }

    /// Checked by the tests of other modules, which this target does not import.
    private static let checkedElsewhere: Set = [
        "RIFFWalk.maximumOtherChunks", "TIFFRegions.maximumPieceBytes", "DecoderSettings.memoryLimit",
        "DecoderSettings.cpuTimeLimit",
        "DecoderSettings.wallTimeLimit", "DecoderProcess.cpuSeconds", "DecoderSettings.maximumFiles",
        "kf_sandbox_font_files", "kf_sandbox_font_threads",
        "DecoderSettings.idleTime", "Arena.maximumBytes", "Arena.retainedBytes", "Message", "RefusedFiles",
    ]

    private var images: [String: String] {
        [
            "ImageLimits.maximumPixels": count(ImageLimits.maximumPixels),
            "ImageLimits.maximumFrameBytes": bytes(ImageLimits.maximumFrameBytes),
            "ImageLimits.maximumFrames": count(ImageLimits.maximumFrames),
            "ImageLimits.maximumAnimationPixels": count(ImageLimits.maximumAnimationPixels),
            "ImageLimits.maximumMetadataBytes": bytes(ImageLimits.maximumMetadataBytes),
            "ImageLimits.maximumFilteredSide": count(ImageLimits.maximumFilteredSide),
            "TiledImage.maximumPixels": count(TiledImage.maximumPixels),
            "TileSpace.shared": bytes(TileSpace.shared.limit),
            "ImageMetadataBlocks.maximumBytes": bytes(ImageMetadataBlocks.maximumBytes),
            "ImageMetadata.maximumTextBytes": bytes(ImageMetadata.maximumTextBytes),
            "ImageMetadata.maximumKeywords": count(ImageMetadata.maximumKeywords),
            "TIFFFile.maximumEntries": count(TIFFFile.maximumEntries),
            "JPEGStructure.maximumSegments": count(JPEGStructure.maximumSegments),
            "PNGMetadata.maximumTexts": count(PNGMetadata.maximumTexts),
            "PNGMetadata.maximumTextBytes": bytes(PNGMetadata.maximumTextBytes),
            "JPEGScans.maximumScans": count(JPEGScans.maximumScans),
            "PreviewPlan.maximumWork": count(PreviewPlan.maximumWork),
            "ImageFile.maximumBytes": bytes(ImageFile.maximumBytes),
            "AnimatedImageView.frameMemoryLimit": bytes(AnimatedImageView.frameMemoryLimit),
            "PixelMemory.capacity": bytes(PixelMemory.capacity),
        ]
    }

    private var network: [String: String] {
        let (downloader, hop) = (ImageDownloader(name: "limits"), TransportLimits())
        let queue = QueuedTransport.Limits()
        return [
            "ImageDownloader.maxBodyBytes": bytes(downloader.maxBodyBytes),
            "TransportLimits.maxHeaderBytes": bytes(hop.maxHeaderBytes),
            "RedirectRules.limit": count(RedirectRules().limit),
            "FetchState.maxDrainedBytes": bytes(FetchState.maxDrainedBytes),
            "TransportLimits.connect": seconds(hop.connect / .seconds(1)),
            "ImageDownloader.downloadTimeout": seconds(downloader.downloadTimeout),
            "TransportLimits.total": hop.total.map { seconds($0 / .seconds(1)) } ?? "none",
            "QueuedTransport.Limits.perHost": count(
                downloader.sessionConfiguration.httpMaximumConnectionsPerHost),
            "QueuedTransport.Limits.perHostOnAllPorts": count(queue.perHostOnAllPorts),
            "QueuedTransport.Limits.multiplexedOnAllPorts": count(queue.multiplexedOnAllPorts),
            "SystemResolver.maxWaiting": count(SystemResolver.maxWaiting),
            "QueuedTransport.Limits.perMultiplexedHost": count(queue.perMultiplexedHost),
            "QueuedTransport.Limits.total": count(queue.total),
            "QueuedTransport.Limits.reserve": count(queue.reserve),
            "QueuedTransport.Limits.slowPerHost": count(queue.slowPerHost),
            "QueuedTransport.Limits.slowTotal": count(queue.slowTotal),
            "MinimumRate.bytesPerSecond": (downloader.minimumRate?.bytesPerSecond).map { bytes($0) + "/s" }
                ?? "none",
            "ImageDownloader.requestRate": downloader.requestRate == nil ? "none" : "some",
            "RequestPace.longestWait": seconds(RequestPace.longestWait / .seconds(1)),
            "RequestPace.longestBlock": seconds(RequestPace.longestBlock / .seconds(1)),
            "RequestPace.maxHosts": count(RequestPace.maxHosts),
            "MinimumRate.window": (downloader.minimumRate?.window).map { seconds($0 / .seconds(1)) }
                ?? "none",
            "FloodMeter.limit": "\(Int(FloodMeter.limit / .milliseconds(1))) ms",
            "FloodMeter.minBytes": bytes(FloodMeter.minBytes),
            "ContentDecoder.maxEncodings": count(ContentDecoder.maxEncodings),
            "LoopShare.maxPieces": count(LoopShare.maxPieces),
            "ChallengeReader.maxBytes": bytes(ChallengeReader.maxBytes),
            "AuthenticationRounds.limit": count(AuthenticationRounds.limit),
            "CredentialStore.maxOrigins": count(CredentialStore.maxOrigins),
            "CookieSetting.maxPairBytes": bytes(CookieSetting.maxPairBytes),
            "CookieSetting.maxPerResponse": count(CookieSetting.maxPerResponse),
            "CookieJar.maxPerDomain": count(CookieJar.maxPerDomain),
            "CookieJar.maxInAll": count(CookieJar.maxInAll),
            "CookieJar.maxSentBytes": bytes(CookieJar.maxSentBytes),
            "CookieSetting.maxLifetime": "\(Int(CookieSetting.maxLifetime / 86_400)) days",
        ]
    }

    private var caches: [String: String] {
        let (memory, disk) = (cache.memoryStorage.config, cache.diskStorage.config)
        return [
            "MemoryStorage.Config.totalCostLimit":
                "a quarter of the machine's memory, or of the control group's limit",
            "MemoryStorage.Config.countLimit": memory.countLimit == .max ? "none" : "some",
            "MemoryStorage.Config.maximumEntryShare":
                memory.maximumEntryShare == nil ? "all of the limit" : "some",
            "MemoryStorage.Config.expiration": lifetime(memory.expiration),
            "MemoryStorage.Config.cleanInterval": seconds(memory.cleanInterval),
            "ImageCache.encodedStorage.config": bytes(cache.encodedStorage.config.totalCostLimit),
            "TierWriteQueue.limits":
                "\(TierWriteQueue.limits.count), \(bytes(TierWriteQueue.limits.bytes))",
            "FailureTable.limits": "\(count(FailureTable.limits.count)), \(bytes(FailureTable.limits.bytes))",
            "FailureTable.longestKey": bytes(FailureTable.longestKey),
            "TierDeadlines.read": "\(Int(TierDeadlines().read / .milliseconds(1))) ms",
            "TierDeadlines.write": seconds(TierDeadlines().write / .seconds(1)),
            "DiskStorage.Config.sizeLimit": bytes(Int(disk.sizeLimit)),
            "DiskCap.partialBytes":
                DiskCap(limit: 1_000).partialBytes == 100 ? "a tenth of that" : "another share",
            "PartialFiles.mostBytes": bytes(PartialFiles.mostBytes),
            "PartialFiles.longestAge": "\(Int(PartialFiles.longestAge / 86_400)) days",
            "CompleteBodies.limit": count(CompleteBodies.limit),
            "ImageDownloader.maxBodyBytesInMemory": bytes(
                ImageDownloader(name: "limits").maxBodyBytesInMemory),
            "DiskCap.slack": bytes(DiskCap.slack),
            "DiskStorage.Config.expiration": lifetime(disk.expiration),
            "DiskSweeper.leftoverAge": seconds(DiskSweeper.leftoverAge),
            "DiskUpkeep.sliceLength": count(DiskUpkeep.sliceLength),
            "PendingAccesses.capacity": count(PendingAccesses.capacity),
            "FileNaming.longestName": "\(FileNaming.longestName) bytes",
            "DiskReader.largestRead": bytes(DiskReader.largestRead),
        ]
    }

    private var servers: [String: String] {
        let manager = KingfisherManager.forServers(cache: cache)
        let limits = KingfisherManager.serverImageLimits
        let downloader = manager.downloader
        let queue = KingfisherParsedOptionsInfo(manager.defaultOptions).processingQueue
        var width = 0
        if case .operationQueue(let queue as OperationQueue)? = queue {
            width = queue.maxConcurrentOperationCount
        }
        let isWide = width == ProcessInfo.processInfo.activeProcessorCount
        return [
            "forServers().downloader.maxBodyBytes": bytes(downloader.maxBodyBytes),
            "forServers().downloader.downloadTimeout": seconds(downloader.downloadTimeout),
            "forServers().downloader.sessionConfiguration.timeoutIntervalForResource":
                seconds(downloader.sessionConfiguration.timeoutIntervalForResource),
            "forServers().defaultOptions": isWide ? "one for each core" : "\(width)",
            "forServers().memoryBudget":
                manager.memoryBudget == min(MemoryBudget.current.share(oneIn: 8), 256 << 20)
                ? "an eighth of the memory, at most 256 MiB" : "another",
            "forServers().maximumQueueLength": count(manager.maximumQueueLength),
            "AdmissionQueue.Limits.waitingTransfers": count(manager.admission?.limits.waitingTransfers ?? 0),
            "TransferOrder.waitShare": TransferOrder.waitShare == 4 ? "a quarter of that" : "another",
            "NegativeCaching.duration": seconds(NegativeCaching().duration),
            "serverImageLimits.maximumAnimationPixels": count(limits.maximumAnimationPixels),
            "serverImageLimits.maximumMetadataBytes": bytes(limits.maximumMetadataBytes),
        ]
    }

    private func count(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")))
    }

    private func bytes(_ number: Int) -> String {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        for (size, unit) in units where number.isMultiple(of: size) { return "\(number / size) \(unit)" }
        return "\(number) bytes"
    }

    private func seconds(_ number: TimeInterval) -> String { "\(count(Int(number))) s" }

    private func lifetime(_ expiration: StorageExpiration) -> String {
        switch expiration {
        case .seconds(let number): seconds(number)
        case .days(let days): "\(days) days"
        default: "\(expiration)"
        }
    }
}
