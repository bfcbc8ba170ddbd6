import Foundation
import Kingfisher
import KingfisherSteps

/// The entries that a source has in the cache.
struct CacheKeys {
    private let steps: [ProcessingStep]

    init(steps: [ProcessingStep]) {
        self.steps = steps
    }

    /// The keys that `kingfisher get` uses for a source and these steps: of the image, and, where there are
    /// steps, of the animation whose frames they were done to.
    func keys(for source: String) throws -> [String] {
        let key = try SourceArgument(source, relativeTo: .currentFolder).source.cacheKey
        guard let processor = steps.processor else { return [key] }
        return [processor.identifier, processor.framewise.identifier].map { "\(key)@\($0)" }
    }

    /// The entries of those keys that would be served: a link in an entry's place is none.
    func entries(for source: String, in folder: CacheFolder) throws -> [DiskStorage.Entry] {
        let names = try keys(for: source).map { folder.storage.cacheFileURL(forKey: $0).lastPathComponent }
        var found: [String: DiskStorage.Entry] = [:]
        try folder.storage.forEachEntry { entry in
            guard names.contains(entry.fileName), entry.byteCount > 0, !entry.isExpired() else { return }
            found[entry.fileName] = entry
        }
        guard !found.isEmpty else { throw NotCached() }
        return names.compactMap { found[$0] }
    }
}
