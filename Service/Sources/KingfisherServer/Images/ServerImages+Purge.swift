import Foundation
import Kingfisher
import KingfisherService
import KingfisherSharedCache

/// What a purge removes.
enum PurgeSelection: Equatable, Sendable {
    /// A source in all versions and sizes: its original and its results.
    case source(ServiceSource)
    /// What was stored by requests with a tag.
    case tag(String)
    /// The sources whose URL starts with a text.
    case prefix(String)
}

/// What a purge has done.
struct PurgeReport: Codable, Equatable, Sendable {
    /// Files of originals.
    var originals = 0
    /// Files of results.
    var results = 0
    /// Whether the shared tier was purged; nil without one.
    var shared: Bool?
}

extension ServerImages {
    /// Removes images from memory, disk and the shared tier. Returns when that is done.
    ///
    /// A request that began before delivers its image and does not store it; requests that begin afterwards
    /// load the source again. The order is what makes this exact: a request that still finds an original or
    /// an entry of the tier began before the removal of the results, and does not store one. The tier cannot
    /// search by prefix.
    func purge(_ selection: PurgeSelection) async throws -> PurgeReport {
        var report = PurgeReport()
        switch selection {
        case .source(let source):
            if let tag = source.cacheTag { report = try await purge(tag: tag) }
        case .tag(let tag): report = try await purge(tag: tag)
        case .prefix(let prefix):
            report.originals = try await originals.removeImages(keyPrefix: prefix)
            if !manager.tiers.isEmpty { report.shared = false }
            report.results = try await results.removeImages(keyPrefix: prefix)
        }
        return report
    }

    private func purge(tag: String) async throws -> PurgeReport {
        var report = PurgeReport()
        report.originals = try await originals.removeImages(tagged: [tag])
        report.shared = await invalidateTiers(tag)
        report.results = try await results.removeImages(tagged: [tag])
        return report
    }

    private func invalidateTiers(_ tag: String) async -> Bool? {
        #if SharedCache
            guard !manager.tiers.isEmpty else { return nil }
            var isDone = true
            for case let tier as RedisTier in manager.tiers {
                do { try await tier.invalidate(tag: tag) } catch { isDone = false }
            }
            return isDone
        #else
            return nil
        #endif
    }
}
