import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

extension HTTPFreshness {
    init?(_ records: [EntryRecord]) {
        guard let record = records.first(where: { $0.kind == .httpFreshness }) else { return nil }
        self.init(record.bytes)
        ownDirectives = records.first { $0.kind == .httpOwnDirectives }.flatMap { CacheDirectives($0.bytes) }
    }

    var records: [EntryRecord] {
        guard let record = EntryRecord(.httpFreshness, encoded) else { return [] }
        let own = ownDirectives.flatMap { EntryRecord(.httpOwnDirectives, $0.encoded) }
        return [record] + (own.map { [$0] } ?? [])
    }
}

struct FileRenewal: Hashable, Sendable {
    let cache: ObjectIdentifier
    let computedKey: BytewiseString
    let forcedExtension: BytewiseString?
    let expiration: ComparableExpiration
}

extension ImageCache {
    var clock: any StorageClock { diskStorage.clock }

    /// Whether a cached image or file may be used without asking its server; true for images that were stored
    /// without freshness, and for responses without `.httpCaching`.
    func isUsable(
        _ freshness: HTTPFreshness?, of source: Source, _ options: KingfisherParsedOptionsInfo
    ) -> Bool {
        guard let freshness else { return true }
        if freshness.fileVersion != nil { return source.isCurrent(freshness, options) }
        guard options.httpCaching else { return true }
        return options.bounded(freshness).reuse(for: .unknown, at: clock.now) == .fresh
    }

    /// Whether a request for `source`, whose image is cached, would use that image without asking the source.
    /// Reads the disk on this thread if the image is not in memory.
    func isCachedImageUsable(of source: Source, _ options: KingfisherParsedOptionsInfo) -> Bool {
        guard options.httpCaching || source.isComparedFile(options) else { return true }
        let key = source.cacheKey.computedKey(with: options.processor.identifier)
        if let image = memoryStorage.value(forKey: key, extendingExpiration: .none) {
            return isUsable(notes.freshness(of: image, forKey: key), of: source, options)
        }
        let entry = try? diskStorage.openEntry(
            forKey: key, forcedExtension: options.forcedExtension, extendingExpiration: .none)
        // A subclass may have the image elsewhere.
        guard let entry else { return isSubclass }
        return isUsable(HTTPFreshness(entry.records), of: source, options)
    }

    /// Stores the freshness of a 304 for `image`, and for the file if it holds the bytes that `old`
    /// describes.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether the 304 says that the bytes are for one user.
    ///   - renewals: The renewals after the same 304, so that each file is renewed once.
    ///   - completion: Called on any thread after the file was renewed or skipped.
    func confirm(
        _ freshness: HTTPFreshness, isPrivate: Bool, insteadOf old: HTTPFreshness,
        of image: KFCrossPlatformImage?, forComputedKey key: String, options: KingfisherParsedOptionsInfo,
        renewals: SingleFlight<FileRenewal, Void>, completion: @escaping @Sendable () -> Void
    ) {
        if let image {
            notes.note(freshness, of: image, forKey: key)
            if isPrivate { notes.notePrivate(image, forKey: key) }
        }
        let renewal = FileRenewal(
            cache: ObjectIdentifier(self), computedKey: BytewiseString(key),
            forcedExtension: options.forcedExtension.map { BytewiseString($0) },
            expiration: ComparableExpiration(options.diskCacheExpiration))
        renewals.run(renewal) { leader in
            renewFile(freshness, isPrivate, insteadOf: old, forComputedKey: key, options: options) {
                leader.complete((), keeping: .always)
            }
        } completion: {
            completion()
        }
    }

    private func renewFile(
        _ freshness: HTTPFreshness, _ isPrivate: Bool, insteadOf old: HTTPFreshness,
        forComputedKey key: String, options: KingfisherParsedOptionsInfo,
        completion: @escaping @Sendable () -> Void
    ) {
        diskQueue.run(key: key) { [self] in
            // Another process may have replaced the file.
            let entry = try? diskStorage.entry(
                forKey: key, forcedExtension: options.forcedExtension, extendingExpiration: .none)
            if let entry, HTTPFreshness(entry.records)?.isOfSameBytes(as: old) == true {
                let isNew = isPrivate && !entry.records.arePrivate
                _ = diskStorage.renew(
                    forKey: key, expiration: options.diskCacheExpiration,
                    forcedExtension: options.forcedExtension,
                    httpRecords: freshness.records + EntryRecord.records(isPrivate: isNew))
            }
            completions.run(on: .untouch, completion)
        }
    }
}
