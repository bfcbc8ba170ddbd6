import Foundation
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

extension HTTPFreshness {
    /// What travels with an entry; nil where nothing does that this version understands.
    init?(_ records: [EntryRecord]) {
        guard let record = records.first(where: { $0.kind == .httpFreshness }) else { return nil }
        self.init(record.bytes)
    }

    /// What is to travel with an entry.
    var records: [EntryRecord] { EntryRecord(.httpFreshness, encoded).map { [$0] } ?? [] }
}

extension ImageCache {
    /// What tells how old a picture is.
    var clock: any StorageClock { diskStorage.clock }

    /// Takes note of what a server has said of a picture that is still good: of `picture`, and of the file, where that
    /// holds what `old` was said of.
    ///
    /// - Parameter completion: Called when the file, if it is to be looked at, was renewed, on any thread.
    func confirm(
        _ freshness: HTTPFreshness, insteadOf old: HTTPFreshness, of picture: KFCrossPlatformImage?,
        forComputedKey key: String, options: KingfisherParsedOptionsInfo,
        completion: @escaping @Sendable () -> Void
    ) {
        if let picture { ledger.note(freshness, of: picture, forKey: key) }
        guard !options.cacheMemoryOnly else { return completion() }
        lanes.run(key: key) { [self] in
            // Another process, or somebody's hand, may have put other bytes there.
            let entry = try? diskStorage.entry(
                forKey: key, forcedExtension: options.forcedExtension, extendingExpiration: .none)
            if let entry, HTTPFreshness(entry.records)?.isOfSameBytes(as: old) == true {
                _ = diskStorage.renew(
                    forKey: key, expiration: options.diskCacheExpiration,
                    forcedExtension: options.forcedExtension, records: freshness.records)
            }
            lanes.deliver(on: .untouch, completion)
        }
    }
}
