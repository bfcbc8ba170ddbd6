import Foundation
import Kingfisher
import KingfisherTestSupport

/// Requests as in a catalogue: 100,000 images of 10 KB to 20 MB with very different popularity, in a cache
/// that holds a tenth of their bytes.
struct MixedRequests {
    static let perRun = 100_000
    private static let images = 100_000
    private static let exponent = 0.9

    let images: [CountedImage]
    /// A tenth of all bytes.
    let capacity: Int
    /// Indices of the requested images, in order; the same in every process.
    let requested: [Int32]
    /// The key of each request. Each is a new string, as when programs derive it from a URL. The strings are
    /// consecutive in memory, because a key that was just made is in the CPU cache.
    let requestedKeys: [String]

    init() {
        var random = SeededGenerator(seed: 90)
        let keys = (0..<Self.images).map {
            "https://images.example.org/catalogue/item-\($0 &* 7919)/full.jpeg"
        }
        images = (0..<Self.images).map { _ in CountedImage(cost: Self.size(&random)) }
        capacity = images.reduce(0) { $0 + $1.cacheCost } / 10
        // Cumulative request frequencies by rank, by Zipf's law.
        var sums: [Double] = []
        var sum = 0.0
        for rank in 1...Self.images {
            sum += pow(Double(rank), -Self.exponent)
            sums.append(sum)
        }
        let names = Array(0..<Int32(Self.images)).shuffled(using: &random)
        requested = (0..<Self.perRun).map { _ in
            let sought = Double.random(in: 0..<sum, using: &random)
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] > sought { high = middle } else { low = middle + 1 }
            }
            return names[low]
        }
        requestedKeys = requested.map { String(decoding: Array(keys[Int($0)].utf8), as: UTF8.self) }
    }

    /// Lognormal around 400 KB, clamped to 10 KB and 20 MB.
    private static func size(_ random: inout SeededGenerator) -> Int {
        let (a, b) = (Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random))
        let normal = (-2 * log(1 - a)).squareRoot() * cos(2 * .pi * b)
        return Int(min(max(400_000 * exp(1.3 * normal), 10_000), 20_000_000))
    }
}

/// Represents an image of this size; real images would not fit into memory.
final class CountedImage: CacheCostCalculable, Sendable {
    let cacheCost: Int

    init(cost: Int) {
        cacheCost = cost
    }
}

/// Gets, and stores after a miss, starting with an empty cache. Generic over `Cache`, so that the loop is
/// specialized for each.
struct MemoryMixed<Cache: MixedCache>: Workload {
    private let requests = MixedRequests()

    /// Returns the number of hits.
    func run() throws -> Int {
        let cache = Cache(capacity: requests.capacity)
        var hits = 0
        for (index, key) in zip(requests.requested, requests.requestedKeys) {
            if cache.get(key) != nil {
                hits += 1
            } else {
                cache.set(requests.images[Int(index)], key)
            }
        }
        return hits
    }

    /// Hits among 1,000 requests.
    func count() throws -> Int {
        try run() * 1_000 / MixedRequests.perRun
    }
}

protocol MixedCache {
    init(capacity: Int)
    func get(_ key: String) -> CountedImage?
    func set(_ image: CountedImage, _ key: String)
}

/// Our storage with default settings, with expiration and extension.
struct MixedStorage: MixedCache {
    private let storage: MemoryStorage.Backend<CountedImage>

    init(capacity: Int) {
        storage = MemoryStorage.Backend(config: MemoryStorage.Config(totalCostLimit: capacity))
    }

    func get(_ key: String) -> CountedImage? { storage.value(forKey: key) }
    func set(_ image: CountedImage, _ key: String) { storage.store(value: image, forKey: key) }
}

struct MixedNSCache: MixedCache {
    private let storage = NSCache<NSString, CountedImage>()

    init(capacity: Int) {
        storage.totalCostLimit = capacity
    }

    func get(_ key: String) -> CountedImage? { storage.object(forKey: NSString(string: key)) }
    func set(_ image: CountedImage, _ key: String) {
        storage.setObject(image, forKey: NSString(string: key), cost: image.cacheCost)
    }
}

extension DictionaryLRU<CountedImage>: MixedCache {
    convenience init(capacity: Int) {
        self.init(costLimit: capacity)
    }

    func get(_ key: String) -> CountedImage? { value(forKey: key) }
    func set(_ image: CountedImage, _ key: String) {
        store(image, forKey: key, cost: image.cacheCost)
    }
}
