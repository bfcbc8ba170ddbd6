import Foundation
import Kingfisher

struct CacheKeys {
    private let steps: [ProcessingStep]
    private let rule: CacheKeyRule?

    init(steps: [ProcessingStep], rule: CacheKeyRule?) {
        self.steps = steps
        self.rule = rule
    }

    /// The keys that `kingfisher get` uses for a source, these steps and this rule: the key of the image and,
    /// with steps, the key of the animation with processed frames.
    func keys(for source: String) throws -> [String] {
        let key = try key(of: SourceArgument(source, relativeTo: .currentFolder))
        guard let processor = steps.processor else { return [TierKey(cacheKey: key).text] }
        return [processor.identifier, processor.framewise.identifier].map {
            TierKey(cacheKey: key, processorIdentifier: $0).text
        }
    }

    private func key(of argument: SourceArgument) -> String {
        if case .remote(let url) = argument, let rule { return rule.key(for: url) }
        return argument.source().cacheKey
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
