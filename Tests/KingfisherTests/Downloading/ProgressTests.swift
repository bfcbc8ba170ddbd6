import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct DownloadProgressTests {
    private struct Report: Sendable {
        var received: Int64 = 0
        var total: Int64 = 0
        var onMain = false
        var isCompletion = false
    }

    /// Progress and completion in order of delivery.
    private func reports(of answer: StubAnswer) async throws -> [Report] {
        let bench = try Bench { _ in answer }
        let inbox = Inbox<Report>()
        bench.downloader.downloadImage(
            with: bench.url,
            progressBlock: { inbox.put(Report(received: $0, total: $1, onMain: MainQueue.isCurrent)) }
        ) { _ in inbox.put(Report(isCompletion: true)) }
        #expect(await poll { inbox.values.contains(where: \.isCompletion) })
        await passMainQueue()
        return inbox.values
    }

    @Test(
        "With a known length, progress increases to it on the main queue, before the completion",
        .behaviours("N-18"))
    func knownLength() async throws {
        let jpeg = try TestImages.jpeg
        var answer = StubAnswer.ok(jpeg)
        answer.pieceSize = 1_000
        let reports = try await reports(of: answer)
        let progress = reports.dropLast()
        #expect(reports.last?.isCompletion == true)
        #expect(!progress.isEmpty)
        #expect(progress.allSatisfy { $0.onMain && $0.total == Int64(jpeg.count) && !$0.isCompletion })
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.received < $1.received })
        #expect(progress.last?.received == Int64(jpeg.count))
    }

    @Test("With an unknown length there is no progress", .behaviours("N-18"))
    func unknownLength() async throws {
        let reports = try await reports(of: StubAnswer(body: try TestImages.jpeg))
        #expect(reports.map(\.isCompletion) == [true])
    }

    @Test("With a failed status there is no progress", .behaviours("N-18"))
    func badStatus() async throws {
        var answer = StubAnswer.ok(try TestImages.jpeg)
        answer.status = 404
        #expect(try await reports(of: answer).map(\.isCompletion) == [true])
    }

    @Test("Each caller of a shared download gets progress", .behaviours("N-18"))
    func sharedProgress() async throws {
        let jpeg = try TestImages.jpeg
        let bench = try Bench(serving: jpeg)
        bench.stub.hold()
        let (one, two, done) = (Inbox<Int64>(), Inbox<Int64>(), Inbox<Void>())
        for inbox in [one, two] {
            bench.downloader.downloadImage(
                with: bench.url, progressBlock: { received, _ in inbox.put(received) }
            ) { _ in done.put() }
        }
        bench.stub.release()
        _ = try await done.first(2)
        #expect(one.values.last == Int64(jpeg.count))
        #expect(two.values.last == Int64(jpeg.count))
    }
}
