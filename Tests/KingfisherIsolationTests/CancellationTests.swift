import Foundation
import Glibc
import Kingfisher
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// Requests that are cancelled while a decoder works for them.
@Suite("Isolation: cancellation", .enabled(if: !ProcessStatus.isSanitized))
struct CancellationTests {
    @Test("A cancelled request completes once, and its decoder ends and is replaced")
    func cancellation() async throws {
        let pool = DecoderPool.of(Programs.hostile) { $0.cpuTimeLimit = .milliseconds(800) }
        let codec = IsolatedCodec(HostileFormat(), pool: pool)
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "isolation"), cache: ImageCache(name: "isolation-cancelled"))
        manager.defaultOptions = [
            .decodingContext(DecodingContext(codecs: CodecRegistry([codec]))), .callbackQueue(.untouch),
            .cacheMemoryOnly, .forceRefresh,
        ]
        _ = try pool.report()
        let provider = RawImageDataProvider(data: Data("hostile: loop#cancelled".utf8), cacheKey: "loop")
        let outcomes = Mutex<[Bool]>([])
        let task = manager.retrieveImage(
            with: .provider(provider),
            completionHandler: { result in
                if case .failure(let error) = result {
                    outcomes.withLock { $0.append(error.isTaskCancelled) }
                } else {
                    outcomes.withLock { $0.append(false) }
                }
            })
        let process = try #require(pool.processIdentifiers.first)
        // Long enough for the decoder to begin, so that the cancellation meets its work.
        try await Task.sleep(for: .milliseconds(200))
        task?.cancel()
        #expect(await poll(upTo: .seconds(10)) { kill(process, 0) != 0 })
        #expect(await poll(upTo: .seconds(10)) { outcomes.withLock { $0.count } == 1 })
        let pixels = try codec.decode(Data("hostile: nothing".utf8), minimumSize: nil)
        #expect(pixels.width == 4 && pool.processIdentifiers.count == 1)
        #expect(outcomes.withLock { $0.count } == 1)
    }
}
