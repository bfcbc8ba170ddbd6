import Foundation
import KingfisherTestSupport
import Testing
import TestTraits

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
        "120 callers of several threads: the provider runs once, each processor once, each file is written once",
        arguments: ways)
    func once(way: KingfisherOptionsInfo) async throws {
        let processors = [CountingProcessor("a"), CountingProcessor("b"), CountingProcessor("c")]
        let serializer = CountingSerializer()
        // What is known to be one object is shared even by callers who want fresh bytes.
        let source = Source.provider(SameObject(provider))
        let called = await rig.call(120, source) {
            way + [.processor(processors[$0 % 3]), .cacheSerializer(serializer)]
        }
        async let awaited = withThrowingTaskGroup(of: Image.self) { [rig] group in
            for number in 0..<30 {
                group.addTask {
                    try await rig.manager.retrieveImage(
                        with: source,
                        options: way + [.processor(processors[number % 3]), .cacheSerializer(serializer)]
                    ).image
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        _ = try await gate.arrivals.first()
        // A request that begins once the original is on disk has it processed again.
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
        _ = try await awaited
        try await rig.settle()
        #expect(gate.arrivals.count == 1)
        #expect(processors.map(\.calls) == [1, 1, 1])
        #expect(serializer.encoded == 3)
        let keepsOriginal = way.contains { if case .cacheOriginalImage = $0 { true } else { false } }
        #expect(rig.writtenFiles == (keepsOriginal ? 4 : 3))
        #expect(called.count == 120)
        #expect(rig.cache.shared.provided.count == 0 && rig.cache.shared.reads.count == 0)
        #expect(rig.cache.traffic.count == 0)
    }

    @Test("Other creating options make another image, of the same bytes", .behaviours("N-2"))
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
        #expect(gate.arrivals.count == 1)
    }

    @Test(
        "Callers that come while images are made and stored: still one run and one processing",
        arguments: 0..<10)
    func overtaken(round: Int) async throws {
        let processor = CountingProcessor("p")
        let called = await rig.call(400, .provider(provider)) { [gate] number in
            if number == 150 { gate.open() }
            return [.processor(processor), .memoryCacheExpiration(.expired)]
        }
        for (_, outcome) in try await called.first(400) { _ = try outcome.get() }
        #expect(gate.arrivals.count == 1)
        #expect(processor.calls == 1)
        try await rig.settle()
        #expect(rig.writtenFiles == 1)
    }

    @Test(
        "Who cancels is told at once with its own provider; the run goes on for the others",
        .behaviours("D-1"))
    func cancelOne() async throws {
        let (first, second) = (Inbox<SharingRig.Outcome>(), Inbox<SharingRig.Outcome>())
        var own = provider
        own.number = 1
        let task = rig.manager.retrieveImage(with: .provider(own)) { first.put($0) }
        rig.manager.retrieveImage(with: .provider(provider)) { second.put($0) }
        _ = try await gate.arrivals.first()
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
        #expect(gate.arrivals.count == 1 && first.count == 1)
    }

    @Test(
        "When all have cancelled, so is the provider's task; who comes then has it run anew",
        .behaviours("D-1"))
    func cancelAll() async throws {
        let inbox = Inbox<SharingRig.Outcome>()
        let tasks = (0..<5).map { _ in rig.manager.retrieveImage(with: .provider(provider)) { inbox.put($0) }
        }
        _ = try await gate.arrivals.first()
        try await rig.settle()
        for task in tasks.dropLast() { task?.cancel() }
        #expect(gate.cancellations.count == 0)
        tasks.last??.cancel()
        #expect(gate.cancellations.count == 1)
        let outcomes = try await inbox.first(5)
        #expect(outcomes.allSatisfy { reason($0) == "dataProviderCancelled" })
        let again = Inbox<SharingRig.Outcome>()
        rig.manager.retrieveImage(with: .provider(provider)) { again.put($0) }
        _ = try await gate.arrivals.first(2)
        gate.open()
        _ = try await again.first().get()
        #expect(rig.cache.shared.provided.count == 0)
    }

    @Test(
        "A failure goes to each with its own provider, and is not kept for who tries again",
        .behaviours("D-3"))
    func failure() async throws {
        let inbox = Inbox<KingfisherError?>()
        let broken = GatedProvider(cacheKey: "broken", gate: gate)
        for number in 0..<5 {
            var own = broken
            own.number = number
            rig.manager.retrieveImage(with: .provider(own)) { inbox.put($0.failure) }
        }
        _ = try await gate.arrivals.first()
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
        #expect(gate.arrivals.count == 1)
        rig.manager.retrieveImage(with: .provider(broken)) { retried.put($0) }
        #expect(reason(try await retried.first()) == "dataProviderError")
        #expect(gate.arrivals.count == 2)
    }

    @Test("Each caller hears on its own queue, with its own modifier", .behaviours("M-2"))
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
        "Fresh bytes are those of the provider in hand, whatever another of the same key supplies meanwhile",
        .behaviours("M-4")
    )
    func freshBytes() async throws {
        let wants = try Wants(5, of: [TestImages.png, TestImages.jpeg])
        wants.ask(rig.manager) { GatedProvider(cacheKey: "avatar", gate: gate, data: $0) }
        // All ten run at the same time.
        _ = try await gate.arrivals.first(10)
        gate.open()
        try await wants.expectOwnSizes()
    }

    @Test(
        "Of fresh bytes that can be compared, equal ones are supplied once, others apart", .behaviours("M-4"))
    func comparableFreshBytes() async throws {
        let wants = try Wants(5, of: [TestImages.png, TestImages.jpeg])
        wants.ask(rig.manager) { Comparable(GatedProvider(cacheKey: "avatar", gate: gate, data: $0)) }
        _ = try await gate.arrivals.first(2)
        try await rig.settle()
        gate.open()
        try await wants.expectOwnSizes()
        #expect(gate.arrivals.count == 2)
    }

    /// Requests for fresh bytes of several files under one key, in turns.
    private struct Wants {
        private let times: Int
        private let wants: [(file: Data, size: CGSize, answers: Inbox<CGSize>)]

        init(_ times: Int, of files: [Data]) throws {
            self.times = times
            wants = try files.map { ($0, try TestImages.image($0).size, Inbox()) }
        }

        func ask(_ manager: KingfisherManager, _ provider: (Data) -> any ImageDataProvider) {
            for _ in 0..<times {
                for (file, _, answers) in wants {
                    manager.retrieveImage(with: .provider(provider(file)), options: [.forceRefresh]) {
                        answers.put((try? $0.get().image.size) ?? .zero)
                    }
                }
            }
        }

        func expectOwnSizes() async throws {
            for (_, size, answers) in wants {
                #expect(try await answers.first(times) == Array(repeating: size, count: times))
            }
        }
    }

    /// A provider that is like others with the same bytes.
    private struct Comparable: ImageDataProvider, Hashable {
        private let provider: GatedProvider

        init(_ provider: GatedProvider) { self.provider = provider }

        var cacheKey: String { provider.cacheKey }

        static func == (one: Self, other: Self) -> Bool { one.provider.data == other.provider.data }

        func hash(into hasher: inout Hasher) { hasher.combine(provider.data) }

        func data() async throws -> Data { try await provider.data() }
    }

    /// One object of a provider.
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
