import Foundation
import Glibc
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// The lookups and thread changes of an uncached request before it reaches the network.
@Suite struct PipelineCostTests {
    private struct Steps {
        private(set) var list: [ImageRequest.Step] = []
        /// The steps before the request was sent.
        private(set) var beforeSending: [ImageRequest.Step] = []

        mutating func note(_ step: ImageRequest.Step) { list.append(step) }

        mutating func noteSending() {
            beforeSending = list
            list.append(.run(on: pthread_self()))
        }

        var threadChanges: Int {
            let threads = list.compactMap { step in
                if case .run(let thread) = step { thread } else { nil }
            }
            return zip(threads, threads.dropFirst()).filter { $0 != $1 }.count
        }
    }

    /// Makes the request from a serial queue, to which the callback also returns.
    private func retrieve(
        _ bench: Bench, _ processor: any ImageProcessor, notingIn steps: Locked<Steps>
    ) async throws {
        let outcomes = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let probe: @Sendable (ImageRequest.Step) -> Void = { step in steps.withLock { $0.note(step) } }
        let main = DispatchQueue(label: "main")
        main.async {
            ImageRequest.$probe.withValue(probe) {
                probe(.run(on: pthread_self()))
                _ = bench.manager.retrieveImage(
                    with: .network(bench.url),
                    options: [.processor(processor), .callbackQueue(.dispatch(main))]
                ) { outcome in
                    probe(.run(on: pthread_self()))
                    outcomes.put(outcome)
                }
            }
        }
        _ = try await outcomes.first().get()
    }

    @Test(
        "An uncached, processed URL takes 2 memory lookups, 1 per file and 1 of pending writes",
        arguments: [false, true])
    func coldRequest(knowsNames: Bool) async throws {
        let steps = Locked(Steps())
        let image = try TestImages.png
        let bench = try Bench { _ in
            steps.withLock { $0.noteSending() }
            return .ok(image)
        }
        bench.cache.diskStorage.config.filtersNames = knowsNames
        try #require(
            await poll { bench.cache.diskStorage.rulesOut("none", forcedExtension: nil) == knowsNames })
        let misses = bench.cache.diskStorage.statistics.misses
        let processor = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
        try await retrieve(bench, processor, notingIn: steps)
        let (seen, all) = steps.withLock { ($0.beforeSending, $0) }
        let key = bench.url.absoluteString
        let computedKey = key.computedKey(with: processor.identifier)
        #expect(seen.filter { if case .memoryLookup = $0 { true } else { false } }.count == 2)
        let lookups = seen.filter { if case .diskLookup = $0 { true } else { false } }
        #expect(lookups == (knowsNames ? [] : [.diskLookup(computedKey), .diskLookup(key)]))
        // The storage counted the same misses as the probe.
        #expect(bench.cache.diskStorage.statistics.misses == misses + 2)
        let writeLookups = seen.filter { if case .pendingWriteLookup = $0 { true } else { false } }
        #expect(writeLookups.count == 1)
        // Queues may share a thread.
        #expect(all.threadChanges <= 4 && !all.list.isEmpty, "\(all.list)")
    }
}
