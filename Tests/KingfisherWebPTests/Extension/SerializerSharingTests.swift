import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

extension RegistryTests {
    /// Requests with equal serializers are coalesced, regardless of the serializer instances.
    @Suite struct SerializerSharingTests {
        @Test func equalSerializersHaveTheSameIdentity() {
            let all = [
                WebPCacheSerializer.default, .lossless, .lossy(quality: 0.5), .lossy(quality: 0.6),
            ]
            for one in all.indices {
                for other in all.indices {
                    #expect((ValueIdentity(all[one]) == ValueIdentity(all[other])) == (one == other))
                }
            }
        }

        @Test(arguments: [WebPCacheSerializer.default, .lossless, .lossy(quality: 0.5)])
        func equalRequestsShareOneDiskRead(serializer: WebPCacheSerializer) async throws {
            let stand = try Stand(serving: Files.lossless)
            let options: KingfisherOptionsInfo = [
                .processor(WebPProcessor.default), .cacheSerializer(serializer),
                .memoryCacheExpiration(.expired), .callbackQueue(.untouch),
            ]
            _ = try await stand.retrieve(options)
            stand.cache.clearMemoryCache()
            let (arrivals, latch) = (Locked(0), DispatchGroup())
            latch.enter()
            // The disk read waits until all requests have joined it.
            stand.cache.diskQueue.barrier { latch.wait() }
            let images = Locked<[ObjectIdentifier: Int]>([:])
            for _ in 0..<20 {
                stand.manager.retrieveImage(
                    with: URL(string: "http://stand.test/image")!,
                    options: options
                ) { result in
                    arrivals.withLock { $0 += 1 }
                    guard let image = try? result.get().image else { return }
                    images.withLock { $0[ObjectIdentifier(image), default: 0] += 1 }
                }
            }
            latch.leave()
            #expect(await poll { arrivals.withLock { $0 } == 20 })
            #expect(images.withLock { Array($0.values) } == [20])
        }
    }
}
