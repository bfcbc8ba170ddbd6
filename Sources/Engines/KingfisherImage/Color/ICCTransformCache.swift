import Foundation
import Synchronization

/// The transforms of the latest profiles, by the profiles' bytes and the samples. Nil is also cached.
///
/// Making one takes about a millisecond, as long as decoding a thumbnail. Safe from any thread; two
/// concurrent misses both make one.
final class ICCTransformCache: Sendable {
    static let shared = ICCTransformCache()

    static let capacity = 16
    /// Larger profiles are not cached; profiles of cameras and displays have a few kilobytes.
    static let maximumProfileBytes = 1 << 20

    private struct Entry {
        let profile: Data
        let samples: ICCSamples
        let transform: ICCTransform?
    }

    /// In order of use, the latest last.
    private let entries = Mutex<[Entry]>([])

    var count: Int { entries.withLock(\.count) }

    func transform(
        for profile: Data, of samples: ICCSamples, otherwise make: () -> ICCTransform?
    ) -> ICCTransform? {
        let known = entries.withLock { entries -> Entry? in
            guard let index = entries.lastIndex(where: { $0.samples == samples && $0.profile == profile })
            else { return nil }
            entries.append(entries.remove(at: index))
            return entries.last
        }
        if let known { return known.transform }
        let transform = make()
        guard profile.count <= Self.maximumProfileBytes else { return transform }
        entries.withLock { entries in
            entries.append(Entry(profile: profile, samples: samples, transform: transform))
            if entries.count > Self.capacity { entries.removeFirst() }
        }
        return transform
    }
}
