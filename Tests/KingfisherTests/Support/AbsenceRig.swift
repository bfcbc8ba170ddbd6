import Foundation
import KingfisherTestSupport
import TestHelpers

@testable import Kingfisher

/// A manager with negative caching, whose cache has a manual clock and whose server responds as a test says.
struct AbsenceRig: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    let clock = ManualClock()
    let cache: ImageCache
    let stub: StubTransport
    let manager: KingfisherManager
    let url = Bench.freshURL()
    private let folder: TemporaryFolder
    private let answer: Locked<StubAnswer>

    init(_ answer: StubAnswer = StubAnswer(status: 404)) throws {
        let answer = Locked(answer)
        self.answer = answer
        folder = try TemporaryFolder()
        cache = try ImageCache.make(in: folder, clock: clock)
        stub = StubTransport { _ in answer.withLock { $0 } }
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "absence", transport: stub), cache: cache)
        manager.defaultOptions = [.negativeCaching(NegativeCaching(duration: 60, jitter: 0))]
    }

    var requests: Int { stub.requests.count }

    func serve(_ new: StubAnswer) { answer.withLock { $0 = new } }

    func key(_ identifier: String = "") -> TierKey {
        TierKey(cacheKey: url.cacheKey, processorIdentifier: identifier)
    }

    func retrieve(_ options: KingfisherOptionsInfo = []) async throws -> Outcome {
        try await outcome {
            manager.retrieveImage(with: .network(url), options: options, completionHandler: $0)
        }
    }

    /// The reasons of the failures of requests, one after the other; "image" for a success.
    func reasons(_ count: Int, _ options: KingfisherOptionsInfo = []) async throws -> [String] {
        var reasons: [String] = []
        for _ in 0..<count { reasons.append(reason(try await retrieve(options)) ?? "image") }
        return reasons
    }
}
