import Foundation
import KingfisherTestSupport
import KingfisherTransport
import TestHelpers
import Testing

@testable import Kingfisher

/// The events of loads that are iterated to their end.
@Suite struct ImageEventsTests {
    private let rig: EventRig

    init() throws { rig = try EventRig() }

    private func names(_ record: Inbox<Recorded>, _ count: Int) async throws -> [String] {
        try await record.first(count).map(\.name)
    }

    @Test("A download reports its progress, then the image, then the end") func progress() async throws {
        let (task, record) = rig.consume()
        let length = rig.file.data.count
        try await rig.begin(announcing: length)
        var expected: [String] = []
        var sent = 0
        for end in [100, 1_000, length] {
            rig.transport.send(rig.file.data[sent..<end])
            sent = end
            expected.append("\(end)/\(length)")
            #expect(try await names(record, expected.count) == expected)
        }
        rig.transport.finish()
        #expect(try await names(record, 5) == expected + ["finished from none", "end"])
        await task.value
        #expect(record.count == 5)
        #expect(record.values[3].result?.data() == rig.file.data)
    }

    @Test("Without an announced length there is no progress") func unknownLength() async throws {
        let (_, record) = rig.consume()
        try await rig.begin()
        rig.transport.send(rig.file.data)
        rig.transport.finish()
        #expect(try await names(record, 2) == ["finished from none", "end"])
    }

    @Test("Previews of a progressive JPEG show the scans that were received") func previews() async throws {
        let (_, record) = rig.consume(nil, [EventRig.progressive])
        try await rig.begin()
        for scan in 1...4 {
            rig.transport.send(rig.file.piece(after: scan - 1, upTo: scan))
            let preview = try await record.first(scan).last?.preview
            #expect(samePixels(preview, try TestImages.image(rig.file.cut(behind: scan))), "scan \(scan)")
        }
        rig.transport.send(rig.file.piece(after: 4, upTo: 10))
        rig.transport.finish()
        let result = try await record.first(6)[4].result
        await rig.settle()
        #expect(record.values.map(\.name).suffix(2) == ["finished from none", "end"])
        #expect(samePixels(result?.image, try TestImages.image(rig.file.data)))
    }

    @Test("Without the option there are no previews") func noPreviews() async throws {
        let (_, record) = rig.consume()
        try await rig.begin()
        for scan in 1...10 { rig.transport.send(rig.file.piece(after: scan - 1, upTo: scan)) }
        await rig.settle()
        rig.transport.finish()
        #expect(try await names(record, 2) == ["finished from none", "end"])
    }

    @Test("Previews are processed and modified like the image, and their delegate is not called")
    func processedPreviews() async throws {
        let asked = Inbox<Void>()
        let progressive = ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0)
        progressive.onImageUpdated.delegate(on: asked) { asked, _ in
            asked.put()
            return .keepCurrent
        }
        let size = CGSize(width: 20, height: 20)
        let modifier = AnyImageModifier { $0.withRenderingMode(.alwaysTemplate) }
        let (_, record) = rig.consume(
            nil,
            [
                .progressiveJPEG(progressive), .processor(CroppingImageProcessor(size: size)),
                .imageModifier(modifier),
            ])
        try await rig.begin()
        rig.transport.send(rig.file.upTo(scan: 3))
        let preview = try #require(try await record.first().preview)
        #expect(preview.size == size && preview.renderingMode == .alwaysTemplate)
        await passMainQueue()
        #expect(asked.count == 0)
    }

    @Test("An image in memory, on disk or of a provider is the only event") func withoutDownload()
        async throws
    {
        let bench = try Bench()
        func names(_ source: Source) async throws -> [String] {
            var names: [String] = []
            for try await event in bench.manager.imageEvents(for: source, options: [EventRig.progressive]) {
                names.append(event.name)
            }
            return names
        }
        let provider = Source.provider(RawImageDataProvider(data: try TestImages.png, cacheKey: "raw"))
        #expect(try await names(provider) == ["finished from none"])
        #expect(try await names(provider) == ["finished from memory"])
        try await bench.cache.settle()
        bench.cache.clearMemoryCache()
        #expect(try await names(provider) == ["finished from disk"])
    }

    @Test("A load that subscribes to a running transfer starts with its progress") func lateSubscriber()
        async throws
    {
        let (_, first) = rig.consume(nil, [EventRig.progressive])
        let length = rig.file.data.count
        try await rig.begin(announcing: length)
        let part = rig.file.upTo(scan: 3)
        rig.transport.send(part)
        _ = try await first.first(2)
        let (_, second) = rig.consume(nil, [EventRig.progressive])
        #expect(try await names(second, 2) == ["\(part.count)/\(length)", "preview"])
        rig.transport.send(rig.file.piece(after: 3, upTo: 10))
        rig.transport.finish()
        let expected = ["\(length)/\(length)", "finished from none", "end"]
        #expect(try await names(first, 5).suffix(3) == expected)
        #expect(try await names(second, 5).suffix(3) == expected)
        #expect(rig.transport.started == 1)
    }

    @Test("Progress and previews start again with an alternative source") func alternativeSource()
        async throws
    {
        let (_, record) = rig.consume(
            nil, [EventRig.progressive, .alternativeSources([.network(Bench.freshURL("jpg"))])])
        let length = rig.file.data.count
        try await rig.begin(announcing: length)
        let (long, short) = (rig.file.upTo(scan: 5), rig.file.upTo(scan: 2))
        rig.transport.send(long)
        #expect(try await names(record, 2) == ["\(long.count)/\(length)", "preview"])
        rig.transport.fail()
        try await rig.begin(2, announcing: length)
        rig.transport.send(short)
        #expect(try await names(record, 4).suffix(2) == ["\(short.count)/\(length)", "preview"])
        #expect(samePixels(record.values[3].preview, try TestImages.image(rig.file.cut(behind: 2))))
        rig.transport.send(rig.file.piece(after: 2, upTo: 10))
        rig.transport.finish()
        #expect(
            try await names(record, 7).suffix(3)
                == ["\(length)/\(length)", "finished from none", "end"])
    }

    @Test("A load that is retried has one end") func retry() async throws {
        let retries = try RetryRig(failures: 2)
        var names: [String] = []
        let options: KingfisherOptionsInfo = [.retryStrategy(ScriptedStrategy(retries: 3))]
        for try await event in retries.bench.manager.imageEvents(for: retries.first, options: options) {
            names.append(event.name)
        }
        #expect(names.last == "finished from none" && names.count(where: { $0.contains("finished") }) == 1)
        #expect(retries.paths.count == 3)
    }

    @Test("A failure is thrown once; the sequence has ended then") func failure() async throws {
        let bench = try Bench { _ in StubAnswer(status: 404) }
        var iterator = bench.manager.imageEvents(for: bench.url).makeAsyncIterator()
        let error = await #expect(throws: KingfisherError.self) { _ = try await iterator.next() }
        #expect(error?.isInvalidResponseStatusCode(404) == true)
        #expect(try await iterator.next() == nil && bench.stub.requests.count == 1)
    }

    @Test("Each iterator is a load") func iterators() async throws {
        let bench = try Bench()
        let events = bench.manager.imageEvents(for: bench.url, options: [.forceRefresh])
        for _ in 0..<2 {
            var last: ImageLoadingEvent?
            for try await event in events { last = event }
            #expect(last?.name == "finished from none")
        }
        #expect(bench.stub.requests.count == 2)
    }

    @Test("Events arrive while the main queue is blocked") func mainQueueBlocked() async {
        await #expect(processExitsWith: .success) {
            let rig = try EventRig()
            let block = try await MainQueueBlocker()
            defer { block.end() }
            let (_, record) = rig.consume(nil, [EventRig.progressive])
            try await rig.begin(announcing: rig.file.data.count)
            rig.transport.send(rig.file.upTo(scan: 3))
            _ = try await record.first(2)
            rig.transport.send(rig.file.piece(after: 3, upTo: 10))
            rig.transport.finish()
            let names = try await record.first(5).map(\.name)
            #expect(names[1] == "preview" && names.suffix(2) == ["finished from none", "end"])
            #expect(block.isHolding)
        }
    }
}
