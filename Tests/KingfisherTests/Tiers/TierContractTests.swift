import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// The contract of every tier, for the disk tier and the test tier.
struct TierContractTests {
    enum Kind: CaseIterable, Sendable { case disk, memory }

    private let folder: TemporaryFolder
    private let key = TierKey(cacheKey: "https://example.com/a.png", processorIdentifier: "p")

    init() throws { folder = try TemporaryFolder() }

    private func tier(_ kind: Kind) throws -> any CacheTier {
        switch kind {
        case .disk: DiskTier(try ImageCache(name: "tier", cacheDirectoryURL: folder.url))
        case .memory: MemoryTier()
        }
    }

    private func hit(_ tier: any CacheTier, _ key: TierKey) async throws -> TierEntry? {
        if case .hit(let entry) = try await tier.read(key) { entry } else { nil }
    }

    @Test("An entry is read as it was written, with bytes, tags and validators", arguments: Kind.allCases)
    func roundTrip(_ kind: Kind) async throws {
        let tier = try tier(kind)
        let freshness = HTTPFreshness(receivedAt: Date(timeIntervalSince1970: 1_000))
        let entry = TierEntry(
            data: try TestImages.png, mediaType: "image/png",
            validators: TierEntry.validators(freshness), tags: ["a", "b"])
        try await tier.write(entry, for: key, lease: nil)
        let found = try #require(try await hit(tier, key))
        #expect(found.data == entry.data && found.checksum == entry.checksum && found.isIntact)
        #expect(found.tags == entry.tags && found.mediaType == entry.mediaType)
        #expect(found.freshness == freshness)
    }

    @Test("Keys that differ in one part have separate entries", arguments: Kind.allCases)
    func keys(_ kind: Kind) async throws {
        let tier = try tier(kind)
        let keys = [
            key, TierKey(cacheKey: key.cacheKey), TierKey(cacheKey: "other", processorIdentifier: "p"),
            TierKey(cacheKey: key.cacheKey, processorIdentifier: "p", fileExtension: "png"),
        ]
        for (number, key) in keys.enumerated() {
            try await tier.write(TierEntry(data: Data([UInt8(number)])), for: key, lease: nil)
        }
        for (number, key) in keys.enumerated() {
            #expect(try await hit(tier, key)?.data == Data([UInt8(number)]))
        }
        #expect(Set(keys.map(\.text)).count == keys.count)
    }

    @Test(
        "A write replaces, a removal removes, and removing a missing entry is no error",
        arguments: Kind.allCases)
    func changes(_ kind: Kind) async throws {
        let tier = try tier(kind)
        #expect(try await hit(tier, key) == nil)
        try await tier.remove(key)
        for byte: UInt8 in 1...2 {
            try await tier.write(TierEntry(data: Data([byte])), for: key, lease: nil)
        }
        #expect(try await hit(tier, key)?.data == Data([2]))
        try await tier.remove(key)
        #expect(try await hit(tier, key) == nil)
    }

    @Test("The disk gives no leases and expires entries")
    func disk() async throws {
        let tier = try tier(.disk)
        guard case .absent(nil) = try await tier.read(key) else {
            Issue.record("expected no entry and no lease")
            return
        }
        try await tier.write(TierEntry(data: Data([1]), expiration: Date()), for: key, lease: nil)
        #expect(try await hit(tier, key) == nil)
    }

    @Test("A disk that cannot be written to is unavailable")
    func unavailable() async throws {
        let file = folder.url.appendingPathComponent("file")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        let disk = DiskStorage.Backend<Data>(
            readyWhenPossible: DiskStorage.Config(name: "x", sizeLimit: 0, directory: file))
        let memory = MemoryStorage.Backend<Image>(config: .init(totalCostLimit: 1))
        let tier = DiskTier(ImageCache(memoryStorage: memory, diskStorage: disk))
        let error = await #expect(throws: TierError.self) {
            try await tier.write(TierEntry(data: Data([1])), for: key, lease: nil)
        }
        #expect(error?.name == "unavailable")
        await #expect(throws: TierError.self) { _ = try await tier.read(key) }
    }
}
