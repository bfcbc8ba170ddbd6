import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// A manager over a manual transport, and a progressive file for it.
struct EventRig: Sendable {
    let file: ProgressiveFile
    let bench: Bench
    let transport = ManualTransport()
    let manager: KingfisherManager
    let url = Bench.freshURL("jpg")

    init() throws {
        file = try ProgressiveFile()
        bench = try Bench()
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "events", transport: transport), cache: bench.cache)
    }

    static let progressive = KingfisherOptionsInfoItem.progressiveJPEG(
        ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0))

    /// Iterates in a task, and records each event and the end.
    func consume(
        _ source: Source? = nil, _ options: KingfisherOptionsInfo = []
    ) -> (task: Task<Void, Never>, record: Inbox<Recorded>) {
        let record = Inbox<Recorded>()
        let events = manager.imageEvents(for: source ?? .network(url), options: options)
        let task = Task {
            do throws(KingfisherError) {
                for try await event in events { record.put(.event(event)) }
                record.put(.end)
            } catch {
                record.put(.failure(error))
            }
        }
        return (task, record)
    }

    /// Waits for the transfer number `count`, and sends its head.
    func begin(_ count: Int = 1, announcing length: Int? = nil) async throws {
        let transport = transport
        let hasStarted = await poll { @Sendable in transport.started == count }
        try #require(hasStarted)
        transport.sendHead(announcing: length)
    }

    /// Waits for the previews of the bytes that were sent.
    func settle() async {
        for _ in 0..<4 {
            await withCheckedContinuation { done in ProgressivePreviews.queue.async { done.resume() } }
        }
    }
}

enum Recorded: Sendable {
    case event(ImageLoadingEvent)
    case failure(KingfisherError)
    case end

    var name: String {
        switch self {
        case .event(let event): event.name
        case .failure(let error): error.reasonName
        case .end: "end"
        }
    }

    var preview: Image? { if case .event(.preview(let image)) = self { image } else { nil } }

    var result: RetrieveImageResult? { if case .event(.finished(let result)) = self { result } else { nil } }
}

extension ImageLoadingEvent {
    var name: String {
        switch self {
        case .progress(let received, let total): "\(received)/\(total)"
        case .preview: "preview"
        case .finished(let result): "finished from \(result.cacheType)"
        }
    }
}
