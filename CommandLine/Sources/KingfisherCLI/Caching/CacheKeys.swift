import Foundation
import Kingfisher

struct CacheKeys {
    private let steps: [ProcessingStep]

    init(steps: [ProcessingStep]) {
        self.steps = steps
    }

    /// The keys that `kingfisher get` uses for a source and these steps: the key of the image and, with
    /// steps, the key of the animation with processed frames.
    func keys(for source: String) throws -> [String] {
        let key = try SourceArgument(source, relativeTo: .currentFolder).source.cacheKey
        guard let processor = steps.processor else { return [TierKey(cacheKey: key).text] }
        return [processor.identifier, processor.framewise.identifier].map {
            TierKey(cacheKey: key, processorIdentifier: $0).text
        }
    }

    /// The valid entries for those keys; symbolic links are ignored.
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
