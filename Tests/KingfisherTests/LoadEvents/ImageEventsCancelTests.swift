import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Consumers that are slow, or stop before the end.
@Suite struct ImageEventsCancelTests {
    private let rig: EventRig

    init() throws { rig = try EventRig() }

    private var isIdle: @Sendable () -> Bool { { [transport = rig.transport] in transport.isIdle } }

    @Test("A slow consumer gets the latest progress, the latest preview and the image") func slowConsumer()
        async throws
    {
        var iterator = rig.manager.imageEvents(for: rig.url, options: [EventRig.progressive])
            .makeAsyncIterator()
        let length = rig.file.data.count
        let first = Task { [iterator] in
            var iterator = iterator
            return try await iterator.next()?.name
        }
        try await rig.begin(announcing: length)
        rig.transport.send(rig.file.data.prefix(10))
        #expect(try await first.value == "10/\(length)")
        rig.transport.send(rig.file.upTo(scan: 1).dropFirst(10))
        await rig.settle()
        for scan in 2...5 {
            rig.transport.send(rig.file.piece(after: scan - 1, upTo: scan))
            await rig.settle()
        }
        rig.transport.send(rig.file.piece(after: 5, upTo: 10))
        rig.transport.finish()
        let key = rig.url.cacheKey
        #expect(await poll { rig.manager.cache.memoryStorage.isCached(forKey: key) })
        var events: [ImageLoadingEvent] = []
        while let event = try await iterator.next() { events.append(event) }
        #expect(events.map(\.name) == ["preview", "\(length)/\(length)", "finished from none"])
        #expect(
            samePixels(
                events.first.flatMap { Recorded.event($0).preview },
                try TestImages.image(rig.file.cut(behind: 5))))
    }

    @Test("Nothing is loaded before the first call of next") func lazyStart() async throws {
        let iterator = rig.manager.imageEvents(for: Bench.freshURL()).makeAsyncIterator()
        // A later load is in transfer.
        let (_, record) = rig.consume()
        try await rig.begin(announcing: 1_000)
        rig.transport.send(rig.file.data.prefix(10))
        _ = try await record.first()
        #expect(rig.transport.started == 1)
        withExtendedLifetime(iterator) {}
    }

    @Test("A cancelled task throws the request's cancellation, and cancels the transfer") func cancelledTask()
        async throws
    {
        let (task, record) = rig.consume()
        try await rig.begin(announcing: 1_000)
        rig.transport.send(rig.file.data.prefix(10))
        _ = try await record.first()
        task.cancel()
        await task.value
        #expect(record.values.map(\.name) == ["10/1000", "taskCancelled"])
        #expect(await poll(until: isIdle))
    }

    @Test("After a cancellation, next drops what was retained, throws once, then returns nil")
    func cancelledBetweenEvents() async throws {
        let gate = Gate()
        let record = Inbox<String>()
        let events = rig.manager.imageEvents(for: rig.url)
        let task = Task {
            var iterator = events.makeAsyncIterator()
            record.put(try await iterator.next()?.name ?? "nil")
            // Not cancellable, so that the events are retained meanwhile.
            await Task.detached { await gate.pass() }.value
            for _ in 0..<2 {
                do throws(KingfisherError) {
                    record.put(try await iterator.next()?.name ?? "nil")
                } catch {
                    record.put(error.reasonName)
                }
            }
        }
        try await rig.begin(announcing: 1_000)
        rig.transport.send(rig.file.data.prefix(10))
        _ = try await record.first()
        rig.transport.send(rig.file.data[10..<20])
        task.cancel()
        gate.open()
        #expect(try await record.first(3) == ["10/1000", "taskCancelled", "nil"])
        #expect(await poll(until: isIdle))
        try await task.value
    }

    @Test("In a task that is cancelled already, no request is made") func cancelledBefore() async throws {
        let gate = Gate()
        let task = Task {
            await gate.pass()
            var names: [String] = []
            var iterator = rig.manager.imageEvents(for: rig.url).makeAsyncIterator()
            for _ in 0..<2 {
                do throws(KingfisherError) {
                    names.append(try await iterator.next()?.name ?? "nil")
                } catch {
                    names.append(error.reasonName)
                }
            }
            return names
        }
        task.cancel()
        gate.open()
        #expect(await task.value == ["asyncTaskContextCancelled", "nil"])
        #expect(rig.transport.started == 0)
    }

    @Test("Leaving the loop cancels the load") func leavingTheLoop() async throws {
        let task = Task {
            for try await event in rig.manager.imageEvents(for: rig.url) { return event.name }
            return "none"
        }
        try await rig.begin(announcing: 1_000)
        rig.transport.send(rig.file.data.prefix(10))
        #expect(try await task.value == "10/1000")
        #expect(await poll(until: isIdle))
    }

    @Test("Cancelling one load leaves the other loads of the URL running") func otherLoads() async throws {
        let (task, first) = rig.consume()
        let (_, second) = rig.consume()
        let length = rig.file.data.count
        try await rig.begin(announcing: length)
        rig.transport.send(rig.file.data.prefix(10))
        _ = try await first.first()
        _ = try await second.first()
        task.cancel()
        await task.value
        rig.transport.send(rig.file.data.dropFirst(10))
        rig.transport.finish()
        #expect(try await second.first(4).map(\.name).suffix(2) == ["finished from none", "end"])
        #expect(rig.transport.started == 1)
    }

    @Test("A provider is cancelled with its consumer") func provider() async throws {
        let provider = PendingProvider()
        let (task, record) = rig.consume(.provider(provider))
        _ = try await provider.asked.first()
        task.cancel()
        #expect(try await record.first().name == "dataProviderCancelled")
    }

    @Test("Loads cancelled at random end once each, and no transfer stays") func randomCancels() async throws
    {
        let bench = try Bench()
        let records = (0..<50).map { _ in
            let record = Inbox<String>()
            let events = bench.manager.imageEvents(for: Bench.freshURL())
            let task = Task {
                do {
                    for try await event in events where event.name.contains("finished") {
                        record.put("image")
                    }
                    record.put("end")
                } catch {
                    record.put("error")
                }
            }
            return (task, record)
        }
        for (task, _) in records.shuffled() {
            for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
            task.cancel()
        }
        for (task, record) in records {
            await task.value
            #expect([["image", "end"], ["error"]].contains(record.values), "\(record.values)")
        }
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }
}
