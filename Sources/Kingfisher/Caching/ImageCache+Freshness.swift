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
    let computedKey: ExactText
    let forcedExtension: ExactText?
    let lifetime: Lifetime
}

extension ImageCache {
    /// What tells how old a picture is.
    var clock: any StorageClock { diskStorage.clock }

    /// Takes note of what a server has said of a picture that is still good: of `picture`, and of the file,
    /// where that holds what `old` was said of.
    ///
    /// - Parameters:
    ///   - renewals: Those that have come of the same 304: each file is renewed once.
    ///   - completion: Called when the file was renewed, or need not be, on any thread.
    func confirm(
        _ freshness: HTTPFreshness, insteadOf old: HTTPFreshness, of picture: KFCrossPlatformImage?,
        forComputedKey key: String, options: KingfisherParsedOptionsInfo,
        renewals: SingleFlight<FileRenewal, Void>, completion: @escaping @Sendable () -> Void
    ) {
        if let picture { notes.note(freshness, of: picture, forKey: key) }
        let renewal = FileRenewal(
            cache: ObjectIdentifier(self), computedKey: ExactText(key),
            forcedExtension: options.forcedExtension.map { ExactText($0) },
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
