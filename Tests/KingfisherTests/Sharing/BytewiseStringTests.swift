import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Keys compare as bytes in memory and on disk, so canonically equivalent strings are different keys.
@Suite struct BytewiseStringTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test("Strings compare and hash by their bytes") func bytes() {
        #expect(composed == decomposed)
        #expect(BytewiseString(composed) != BytewiseString(decomposed))
        #expect(Set([composed, decomposed, "", "cafe"].map { BytewiseString($0) }).count == 4)
        let copy = String(decoding: Array(composed.utf8), as: UTF8.self)
        #expect(BytewiseString(composed) == BytewiseString(copy))
        #expect(BytewiseString(composed).hashValue == BytewiseString(copy).hashValue)
        let long = String(repeating: composed, count: 100)
        #expect(BytewiseString(long) == BytewiseString(String(decoding: Array(long.utf8), as: UTF8.self)))
        #expect(BytewiseString(long) != BytewiseString(String(repeating: decomposed, count: 100)))
    }

    @Test("Pending writes distinguish keys by their bytes") func traffic() async throws {
        let (queue, image) = (KeyedQueue(label: "traffic"), try TestImages.image)
        let traffic = DiskTraffic(queue: queue, folder: URL(filePath: "/cache"))
        let order = WriteRequest(
            content: .image(image, original: nil, serializer: ValueIdentity(DefaultCacheSerializer())),
            forcedExtension: nil, expiration: nil, options: [])
        let jobs = Inbox<DiskTraffic.Job>()
        let hold = Latch()
        for key in [composed, decomposed] {
            traffic.write(order, forKey: key) {
                jobs.put($0)
                _ = hold.wait()
                return .success(())
            } completion: { _ in
            }
        }
        traffic.remove(composed) {}
        #expect(
            traffic.stored(forKey: composed).image == nil
                && traffic.stored(forKey: decomposed).image === image)
        #expect(traffic.version(of: composed) != traffic.version(of: decomposed))
        for _ in 0..<2 { hold.open() }
        _ = try await jobs.first(2)
    }

    @Test("Writes distinguish file extensions by their bytes") func fileExtensions() {
        func order(_ ending: String) -> WriteRequest {
            WriteRequest(content: .bytes(Data([1])), forcedExtension: ending, expiration: nil, options: [])
        }
        #expect(order(composed).isSame(as: order(composed)))
        #expect(!order(composed).isSame(as: order(decomposed)))
    }

    @Test("Image variants distinguish processor identifiers by their bytes") func processors() {
        func variant(_ identifier: String) -> ImageVariant {
            KingfisherParsedOptionsInfo([.processor(CountingProcessor(identifier))]).imageVariant
        }
        #expect(variant(composed) == variant(composed))
        #expect(variant(composed) != variant(decomposed))
    }

    @Test("Recreated images distinguish keys by their bytes") func recreatedImages() throws {
        let original = try TestImages.image
        func key(_ text: String) -> RecreatedImages.Key {
            RecreatedImages.Key(text, original, ImageCreatingOptions())
        }
        #expect(key(composed) == key(composed))
        #expect(key(composed) != key(decomposed))
    }

    @Test("Freshness records distinguish keys by their bytes") func freshness() throws {
        let (notes, image) = (ImageAnnotations(), try TestImages.image)
        let known = HTTPFreshness(receivedAt: Date())
        notes.note(known, of: image, forKey: composed)
        #expect(notes.freshness(of: image, forKey: composed) == known)
        #expect(notes.freshness(of: image, forKey: decomposed) == nil)
    }

    @Test("Disk readings and providers distinguish keys by their bytes") func sharedWork() {
        func reading(_ key: String, _ ending: String? = nil) -> InputIdentity {
            .onDisk(
                key: BytewiseString(key), version: 1, forcedExtension: ending.map { BytewiseString($0) },
                .nothing)
        }
        #expect(reading(composed) == reading(composed))
        #expect(reading(composed) != reading(decomposed))
        #expect(reading("key", composed) != reading("key", decomposed))
        func provider(_ key: String) -> ProviderIdentity {
            ProviderIdentity(RawImageDataProvider(data: Data([1]), cacheKey: key), requiresFreshData: false)
        }
        #expect(provider(composed) == provider(composed))
        #expect(provider(composed) != provider(decomposed))
    }

    @Test("Images stored under two spellings at the same time are two files", .behaviours("C-1"))
    func storing() async throws {
        let (rig, image, valve) = (try SharingRig(), try TestImages.image, Valve())
        let inbox = Inbox<CacheStoreResult>()
        rig.cache.diskQueue.run(key: composed) { valve.pass() }
        rig.cache.diskQueue.run(key: decomposed) { valve.pass() }
        for key in [composed, decomposed] { rig.cache.store(image, forKey: key) { inbox.put($0) } }
        valve.open()
        for result in try await inbox.first(2) { try result.diskCacheResult.get() }
        #expect(rig.writtenFiles == 2)
        for key in [composed, decomposed] {
            #expect(rig.cache.diskStorage.isCached(forKey: key))
            #expect(rig.cache.cacheFileURLIfOnDisk(forKey: key) != nil)
        }
    }

    @Test(
        "A pending write of one spelling is not found under the other",
        .behaviours("M-6"))
    func pendingWrite() async throws {
        let (rig, image, valve) = (try SharingRig(), try TestImages.image(TestImages.jpeg), Valve())
        rig.cache.diskQueue.run(key: composed) { valve.pass() }
        rig.cache.store(image, forKey: composed, completionHandler: nil)
        let inbox = Inbox<SharingRig.Outcome>()
        for key in [decomposed, composed] {
            let resource = KF.ImageResource(downloadURL: rig.url, cacheKey: key)
            rig.manager.retrieveImage(
                with: .network(resource), options: [.onlyFromCache, .callbackQueue(.untouch)]
            ) { inbox.put($0) }
        }
        valve.open()
        let outcomes = try await inbox.first(2)
        #expect(outcomes.compactMap(\.failure).map(\.reasonName) == ["imageNotExisting"])
        #expect(outcomes.compactMap { try? $0.get() }.map { $0.image === image } == [true])
    }
}
