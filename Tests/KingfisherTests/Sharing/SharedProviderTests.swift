import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

@Suite struct SharedProviderTests {
    private static let ways: [KingfisherOptionsInfo] = [
        [], [.memoryCacheExpiration(.expired)], [.waitForCache], [.forceRefresh],
        [.memoryCacheExpiration(.expired), .waitForCache, .cacheOriginalImage],
    ]

    private let rig: SharingRig
    private let gate = GatedProvider.Gate()
    private let provider: GatedProvider

    init() throws {
        rig = try SharingRig()
        provider = GatedProvider(cacheKey: "provided", gate: gate, data: try TestImages.png)
    }

    @Test(
        "120 callers on several threads share one provider run, one processing and one write per file",
        arguments: ways)
    func once(way: KingfisherOptionsInfo) async throws {
        let processors = [CountingProcessor("a"), CountingProcessor("b"), CountingProcessor("c")]
        let serializer = CountingSerializer()
        // One object is shared even by callers that want fresh bytes.
        let source = Source.provider(SameObject(provider))
        let options: @Sendable (Int) -> KingfisherOptionsInfo = {
            way + [.processor(processors[$0 % 3]), .cacheSerializer(serializer)]
        }
        let called = await rig.call(120, source, options)
        async let awaited: Void = rig.load(30, source, options)
        _ = try await gate.insertions.first()
        // A request that starts after the original is on disk processes it again.
        #expect(await poll { rig.cache.shared.provided.callerCount == 150 })
        gate.open()
        let results = try await called.first(120)
        #expect(Set(results.map(\.number)).count == 120)
        var images: [Set<ObjectIdentifier>] = [[], [], []]
        for (number, outcome) in results {
            let result = try outcome.get()
            images[number % 3].insert(ObjectIdentifier(result.image))
            #expect(result.cacheType == .none)
        }
        #expect(images.allSatisfy { $0.count == 1 })
        try await awaited
        try await rig.settle()
        #expect(gate.insertions.count == 1)
        #expect(processors.map(\.calls) == [1, 1, 1])
        #expect(serializer.encoded == 3)
        let keepsOriginal = way.contains { if case .cacheOriginalImage = $0 { true } else { false } }
        #expect(rig.writtenFiles == (keepsOriginal ? 4 : 3))
        #expect(called.count == 120)
        #expect(rig.cache.shared.provided.count == 0 && rig.cache.shared.inputs.count == 0)
        #expect(rig.cache.traffic.count == 0)
    }

    @Test("Different creating options make another image of the same bytes", .behaviours("N-2"))
    func creatingOptions() async throws {
        let processor = CountingProcessor("p")
        let called = await rig.call(60, .provider(provider)) {
            [.processor(processor), .scaleFactor($0 % 2 == 0 ? 1 : 2)]
        }
        try await rig.settle()
        gate.open()
        for (number, outcome) in try await called.first(60) {
            #expect(try outcome.get().image.scale == (number % 2 == 0 ? 1 : 2))
        }
        #expect(processor.calls == 2)
        #expect(gate.insertions.count == 1)
    }

    @Test(
        "Requests that arrive while images are made and stored share the same run",
        arguments: 0..<10)
    func lateCallers(round: Int) async throws {
        let processor = CountingProcessor("p")
        let called = await rig.call(400, .provider(provider)) { [gate] number in
            if number == 150 { gate.open() }
            return [.processor(processor), .memoryCacheExpiration(.expired)]
        }
        for (_, outcome) in try await called.first(400) { _ = try outcome.get() }
        #expect(gate.insertions.count == 1)
        #expect(processor.calls == 1)
        try await rig.settle()
        #expect(rig.writtenFiles == 1)
    }

    @Test(
        "A cancelled caller completes immediately with its own provider; the run continues",
        .behaviours("D-1"))
    func cancelOne() async throws {
        let (first, second) = (Inbox<SharingRig.Outcome>(), Inbox<SharingRig.Outcome>())
        var own = provider
        own.number = 1
        let task = rig.manager.retrieveImage(with: .provider(own)) { first.put($0) }
        rig.manager.retrieveImage(with: .provider(provider)) { second.put($0) }
        _ = try await gate.insertions.first()
        try await rig.settle()
        try #require(task).cancel()
        let error = try #require(await first.first().failure)
        guard case .requestError(.dataProviderCancelled(let cancelled)) = error else {
            throw error
        }
        #expect((cancelled as? GatedProvider)?.number == 1)
        #expect(gate.cancellations.count == 0)
        gate.open()
        _ = try await second.first().get()
        #expect(gate.insertions.count == 1 && first.count == 1)
    }

    @Test(
        "When all callers have cancelled, the provider's task is cancelled and a new caller starts again",
        .behaviours("D-1"))
    func cancelAll() async throws {
        let inbox = Inbox<SharingRig.Outcome>()
        let tasks = (0..<5).map { _ in rig.manager.retrieveImage(with: .provider(provider)) { inbox.put($0) }
        }
        _ = try await gate.insertions.first()
        try await rig.settle()
        for task in tasks.dropLast() { task?.cancel() }
        #expect(gate.cancellations.count == 0)
        tasks.last??.cancel()
        #expect(gate.cancellations.count == 1)
        let outcomes = try await inbox.first(5)
        #expect(outcomes.allSatisfy { reason($0) == "dataProviderCancelled" })
        let again = Inbox<SharingRig.Outcome>()
        rig.manager.retrieveImage(with: .provider(provider)) { again.put($0) }
        _ = try await gate.insertions.first(2)
        gate.open()
        _ = try await again.first().get()
        #expect(rig.cache.shared.provided.count == 0)
    }

    @Test(
        "A failure reports each caller's own provider and is not cached",
        .behaviours("D-3"))
    func failure() async throws {
        let inbox = Inbox<KingfisherError?>()
        let broken = GatedProvider(cacheKey: "broken", gate: gate)
        for number in 0..<5 {
            var own = broken
            own.number = number
            rig.manager.retrieveImage(with: .provider(own)) { inbox.put($0.failure) }
        }
        _ = try await gate.insertions.first()
        try await rig.settle()
        let retried = Inbox<SharingRig.Outcome>()
        gate.open()
        let numbers = try await inbox.first(5).map { error -> Int? in
            guard case .imageSettingError(.dataProviderError(let failed, let cause)) = error else {
                return nil
            }
            #expect(cause is GatedProvider.Failed)
            return (failed as? GatedProvider)?.number
        }
        #expect(Set(numbers) == Set(0..<5))
        #expect(gate.insertions.count == 1)
        rig.manager.retrieveImage(with: .provider(broken)) { retried.put($0) }
        #expect(reason(try await retried.first()) == "dataProviderError")
        #expect(gate.insertions.count == 2)
    }

    @Test("Each caller completes on its own queue with its own modifier", .behaviours("M-2"))
    func queues() async throws {
        let queues = (0..<3).map { MarkedQueue("queue \($0)") }
        let modifiers = (0..<3).map { _ in CountingModifier() }
        let inbox = Inbox<Bool>()
        for number in 0..<30 {
            let queue = queues[number % 3]
            rig.manager.retrieveImage(
                with: .provider(provider),
                options: [.callbackQueue(.dispatch(queue.queue)), .imageModifier(modifiers[number % 3])]
            ) { _ in inbox.put(queue.isCurrent) }
        }
        gate.open()
        #expect(try await inbox.first(30) == Array(repeating: true, count: 30))
        #expect(modifiers.map(\.calls) == [10, 10, 10])
    }

    @Test(
        "Fresh bytes are those of the caller's own provider, not of another with the same key",
        .behaviours("M-4")
    )
    func freshBytes() async throws {
        let requests = try FreshRequests(5, of: [TestImages.png, TestImages.jpeg])
        requests.start(rig.manager) { GatedProvider(cacheKey: "avatar", gate: gate, data: $0) }
        // All ten run concurrently.
        _ = try await gate.insertions.first(10)
        gate.open()
        try await requests.expectOwnSizes()
    }

    @Test(
        "Equal providers of fresh bytes run once, different ones separately", .behaviours("M-4"))
    func comparableFreshBytes() async throws {
        let requests = try FreshRequests(5, of: [TestImages.png, TestImages.jpeg])
        requests.start(rig.manager) {
            EquatableProvider(GatedProvider(cacheKey: "avatar", gate: gate, data: $0))
        }
        _ = try await gate.insertions.first(2)
        try await rig.settle()
        gate.open()
        try await requests.expectOwnSizes()
        #expect(gate.insertions.count == 2)
    }

    /// Interleaved requests for fresh bytes of several files under one key.
    private struct FreshRequests {
        private let times: Int
        private let requests: [(file: Data, size: CGSize, answers: Inbox<CGSize>)]

        init(_ times: Int, of files: [Data]) throws {
            self.times = times
            requests = try files.map { ($0, try TestImages.image($0).size, Inbox()) }
        }

        func start(_ manager: KingfisherManager, _ provider: (Data) -> any ImageDataProvider) {
            for _ in 0..<times {
                for (file, _, answers) in requests {
                    manager.retrieveImage(with: .provider(provider(file)), options: [.forceRefresh]) {
                        answers.put((try? $0.get().image.size) ?? .zero)
                    }
                }
            }
        }

        func expectOwnSizes() async throws {
            for (_, size, answers) in requests {
                #expect(try await answers.first(times) == Array(repeating: size, count: times))
            }
        }
    }

    /// A provider that equals others with the same bytes.
    private struct EquatableProvider: ImageDataProvider, Hashable {
        private let provider: GatedProvider

        init(_ provider: GatedProvider) { self.provider = provider }

        var cacheKey: String { provider.cacheKey }

        static func == (one: Self, other: Self) -> Bool { one.provider.data == other.provider.data }

        func hash(into hasher: inout Hasher) { hasher.combine(provider.data) }

        func data() async throws -> Data { try await provider.data() }
    }

    /// A provider that is compared by object.
    private final class SameObject: ImageDataProvider {
        let cacheKey: String
        private let provider: GatedProvider

        init(_ provider: GatedProvider) {
            self.provider = provider
            cacheKey = provider.cacheKey
        }

        func data() async throws -> Data { try await provider.data() }
    }
}
