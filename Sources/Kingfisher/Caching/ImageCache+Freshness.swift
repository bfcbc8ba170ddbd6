import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

extension HTTPFreshness {
    /// What travels with an entry; nil where nothing does that this version understands.
    init?(_ records: [EntryRecord]) {
        guard let record = records.first(where: { $0.kind == .httpFreshness }) else { return nil }
        self.init(record.bytes)
        ownDirectives = records.first { $0.kind == .httpOwnDirectives }.flatMap { CacheDirectives($0.bytes) }
    }

    /// What is to travel with an entry.
    var records: [EntryRecord] {
        guard let record = EntryRecord(.httpFreshness, encoded) else { return [] }
        let own = ownDirectives.flatMap { EntryRecord(.httpOwnDirectives, $0.encoded) }
        return [record] + (own.map { [$0] } ?? [])
    }
}

/// What becomes of a file when its server has confirmed it.
struct FileRenewal: Hashable, Sendable {
    let cache: ObjectIdentifier
    let computedKey: BytewiseString
    let forcedExtension: BytewiseString?
    let lifetime: Lifetime
}

extension ImageCache {
    /// What tells how old an image is.
    var clock: any StorageClock { diskStorage.clock }

    /// Takes note of what a server has said of an image that is still good: of `image`, and of the file,
    /// where that holds what `old` was said of.
    ///
    /// - Parameters:
    ///   - renewals: Those that have come of the same 304: each file is renewed once.
    ///   - completion: Called when the file was renewed, or need not be, on any thread.
    func confirm(
        _ freshness: HTTPFreshness, insteadOf old: HTTPFreshness, of image: KFCrossPlatformImage?,
        forComputedKey key: String, options: KingfisherParsedOptionsInfo,
        renewals: SingleFlight<FileRenewal, Void>, completion: @escaping @Sendable () -> Void
    ) {
        if let image { notes.note(freshness, of: image, forKey: key) }
        let renewal = FileRenewal(
            cache: ObjectIdentifier(self), computedKey: BytewiseString(key),
            forcedExtension: options.forcedExtension.map { BytewiseString($0) },
            lifetime: Lifetime(options.diskCacheExpiration))
        renewals.run(renewal) { leader in
            renewFile(freshness, insteadOf: old, forComputedKey: key, options: options) {
                leader.complete((), keeping: .always)
            }
        } completion: {
            completion()
        }
    }

    private func renewFile(
        _ freshness: HTTPFreshness, insteadOf old: HTTPFreshness, forComputedKey key: String,
        options: KingfisherParsedOptionsInfo, completion: @escaping @Sendable () -> Void
    ) {
        diskQueue.run(key: key) { [self] in
            // Another process, or somebody's hand, may have put other bytes there.
            let entry = try? diskStorage.entry(
                forKey: key, forcedExtension: options.forcedExtension, extendingExpiration: .none)
            if let entry, HTTPFreshness(entry.records)?.isOfSameBytes(as: old) == true {
                _ = diskStorage.renew(
                    forKey: key, expiration: options.diskCacheExpiration,
                    forcedExtension: options.forcedExtension, httpRecords: freshness.records)
            }
            completions.run(on: .untouch, completion)
        }
    }
}
