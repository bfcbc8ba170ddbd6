import Foundation
import Kingfisher
import KingfisherLogging
import Logging
import Synchronization
import Testing

/// Records log lines.
private final class Lines: Sendable {
    struct Line: Equatable {
        let level: Logger.Level
        let message, source: String
        let metadata: Logger.Metadata
    }

    private let lines = Mutex<[Line]>([])

    var all: [Line] { lines.withLock { $0 } }
    func add(_ line: Line) { lines.withLock { $0.append(line) } }
}

private struct Handler: LogHandler {
    let lines: Lines
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.add(
            Lines.Line(
                level: event.level, message: "\(event.message)", source: event.source,
                metadata: event.metadata ?? [:]))
    }
}

@Suite struct KingfisherLogObserverTests {
    private func observer(_ lines: Lines, _ level: Logger.Level = .debug) -> KingfisherLogObserver {
        KingfisherLogObserver(
            logger: Logger(label: "test") { _ in
                var handler = Handler(lines: lines)
                handler.logLevel = level
                return handler
            })
    }

    @Test func `An event is one line at debug level`() throws {
        let lines = Lines()
        let url = try #require(URL(string: "https://photos.example/1.jpg"))
        observer(lines).kingfisher(
            didReport: .downloadFinished(url: url, status: 200, bytes: 1_234, duration: 0.25))
        #expect(
            lines.all == [
                Lines.Line(
                    level: .debug, message: "download.finished", source: "Kingfisher",
                    metadata: [
                        "subject": "https://photos.example/1.jpg", "status": "200", "bytes": "1234",
                        "duration": "0.25",
                    ])
            ])
    }

    @Test func `Higher log levels record nothing`() throws {
        let lines = Lines()
        observer(lines, .info).kingfisher(didReport: .requestBegan(source: "x"))
        #expect(lines.all.isEmpty)
    }

    @Test func `The events of a failed request are logged`() async throws {
        let lines = Lines()
        let observer = observer(lines)
        KingfisherEvents.add(observer)
        defer { KingfisherEvents.remove(observer) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = KingfisherManager(
            downloader: .default, cache: try ImageCache(name: "log", cacheDirectoryURL: folder))
        _ = try? await manager.retrieveImage(
            with: .provider(RawImageDataProvider(data: Data([1, 2, 3]), cacheKey: "no image")))
        #expect(lines.all.map(\.message) == ["request.began", "image.processed", "request.failed"])
        #expect(lines.all.last?.metadata["error"] == "processingFailed")
    }
}
