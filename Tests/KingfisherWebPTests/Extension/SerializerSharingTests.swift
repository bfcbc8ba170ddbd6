import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

extension RegistryTests {
    /// What requests share does not depend on which of two equal serializers each has.
    @Suite struct SerializerSharingTests {
        @Test func equalSerializersAreTheSame() {
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
        func oneLookAtTheDisk(serializer: WebPCacheSerializer) async throws {
            let stand = try Stand(serving: Files.lossless)
            let options: KingfisherOptionsInfo = [
                .processor(WebPProcessor.default), .cacheSerializer(serializer),
                .memoryCacheExpiration(.expired), .callbackQueue(.untouch),
            ]
            _ = try await stand.retrieve(options)
            stand.cache.clearMemoryCache()
            let (arrivals, latch) = (Locked(0), DispatchGroup())
            latch.enter()
            // The look waits until all have joined it.
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
