import Foundation
import Kingfisher
import KingfisherSteps

/// The entries that a source has in the cache.
struct CacheKeys {
    private let steps: [ProcessingStep]

    init(steps: [ProcessingStep]) {
        self.steps = steps
    }

    /// The keys that `kingfisher get` uses for a source and these steps: of the picture, and, where there are
    /// steps, of the animation whose frames they were done to.
    func keys(for source: String) throws -> [String] {
        let key = try SourceArgument(source, relativeTo: .currentFolder).source.cacheKey
        guard let processor = steps.processor else { return [key] }
        return [processor.identifier, processor.framewise.identifier].map { "\(key)@\($0)" }
    }

    /// The files of those keys that are there and have not expired.
    func files(for source: String, in folder: CacheFolder) throws -> [(key: String, url: URL)] {
        let found = try keys(for: source).filter { folder.storage.isCached(forKey: $0) }
        guard !found.isEmpty else { throw NotCached() }
        return found.map { ($0, folder.storage.cacheFileURL(forKey: $0)) }
    }
}
