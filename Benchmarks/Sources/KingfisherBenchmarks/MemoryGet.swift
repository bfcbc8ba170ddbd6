import Foundation
import Kingfisher

/// Gets of stored images: 10,000 entries, keys of 64 characters, in an order different from that of storing.
struct MemoryKeys {
    static let getsPerRun = 100_000

    let stored: [String]
    /// The key of each get. Each is a new string, as when programs derive it from a URL. The strings are
    /// consecutive in memory, because a key that was just made is in the CPU cache. The same in every
    /// process.
    let requested: [String]

    init() {
        stored = (0..<10_000).map { number in
            let digits = String(number)
            return "https://images.example.org/albums/".padding(
                toLength: 64 - digits.count, withPad: "0", startingAt: 0)
                + digits
        }
        var state: UInt64 = 20
        requested = (0..<Self.getsPerRun).map { [stored] _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return String(decoding: Array(stored[Int(state >> 33) % stored.count].utf8), as: UTF8.self)
        }
    }

    static func image() throws -> Image {
        Image(pixels: try PixelBuffer(width: 1, height: 1, format: .rgba8Opaque, zeroed: true) { _, _ in })
    }
}

/// Our storage, whose gets check and extend the expiration.
struct MemoryGet: Workload {
    private let keys = MemoryKeys()
    private let storage = MemoryStorage.Backend<Image>(
        config: MemoryStorage.Config(totalCostLimit: 1 << 30, cleanInterval: 120))

    init() throws {
        for key in keys.stored { storage.store(value: try MemoryKeys.image(), forKey: key) }
    }

    func run() throws -> Int {
        var found = 0
        for key in keys.requested where storage.value(forKey: key) != nil { found += 1 }
        guard found == keys.requested.count else { throw BenchmarkError("\(found) found") }
        return found
    }
}

/// A typical LRU of Swift programs, without expiration.
struct DictionaryLRUGet: Workload {
    private let keys = MemoryKeys()
    private let storage = DictionaryLRU<Image>(costLimit: 1 << 30)

    init() throws {
        for key in keys.stored { storage.store(try MemoryKeys.image(), forKey: key, cost: 4) }
    }

    func run() throws -> Int {
        var found = 0
        for key in keys.requested where storage.value(forKey: key) != nil { found += 1 }
        guard found == keys.requested.count else { throw BenchmarkError("\(found) found") }
        return found
    }
}

/// Foundation's NSCache, without expiration. Its keys are objects, so each get makes one from the string.
struct NSCacheGet: Workload {
    private let keys = MemoryKeys()
    private let storage = NSCache<NSString, Image>()

    init() throws {
        storage.totalCostLimit = 1 << 30
        for key in keys.stored {
            storage.setObject(try MemoryKeys.image(), forKey: NSString(string: key), cost: 4)
        }
    }

    func run() throws -> Int {
        var found = 0
        for key in keys.requested where storage.object(forKey: NSString(string: key)) != nil { found += 1 }
        guard found == keys.requested.count else { throw BenchmarkError("\(found) found") }
        return found
    }
}
