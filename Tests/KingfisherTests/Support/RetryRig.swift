import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// A manager over servers with a configured number of failures, and the events of its requests.
struct RetryRig: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    enum Event: Sendable, Equatable {
        case updated(URL?, initialized: Bool)
        case completed(String?)
    }

    struct Run: Sendable {
        let task: DownloadTask?
        let events: Inbox<Event>
        let updated: Inbox<DownloadTask?>
        let outcomes: Inbox<Outcome>

        /// The outcome, after checking that there is only one.
        func only() async throws -> Outcome { try await outcomes.only() }
    }

    let bench: Bench
    let first = Source.network(URL(string: "http://stub.invalid/first") ?? URL(filePath: "/"))
    let other = Source.network(URL(string: "http://stub.invalid/other") ?? URL(filePath: "/"))
    let good = Source.network(URL(string: "http://stub.invalid/good") ?? URL(filePath: "/"))
    private let failures: Locked<Int>

    var paths: [String] { bench.stub.requests.compactMap(\.url?.lastPathComponent) }

    /// `/first` responds with 503 `count` times, then with an image. `/good` responds with an image, all
    /// other paths with 503.
    init(failures count: Int) throws {
        let png = try TestImages.png
        let failures = Locked(count)
        self.failures = failures
        bench = try Bench { request in
            switch request.url?.lastPathComponent {
            case "good": .ok(png)
            case "first":
                failures.withLock { left -> Bool in
                    defer { left -= 1 }
                    return left > 0
                } ? StubAnswer(status: 503) : .ok(png)
            default: StubAnswer(status: 503)
            }
        }
    }

    func start(
        _ source: Source? = nil, _ strategy: any RetryStrategy, _ options: KingfisherOptionsInfo = [],
        manager: KingfisherManager? = nil, isCurrent: (@Sendable () -> Bool)? = nil,
        onUpdate: @escaping @Sendable (DownloadTask?) -> Void = { _ in }
    ) -> Run {
        let (events, updated, outcomes) = (Inbox<Event>(), Inbox<DownloadTask?>(), Inbox<Outcome>())
        let manager = manager ?? bench.manager
        let task = manager.retrieveImage(
            RequestPlan(
                source ?? first, manager.parsedOptions([.retryStrategy(strategy)] + options),
                downloadTaskUpdated: { task in
                    events.put(
                        .updated(task?.sessionTask?.originalURL, initialized: task?.isInitialized ?? false))
                    updated.put(task)
                    onUpdate(task)
                }, isCurrent: isCurrent)
        ) {
            events.put(.completed(reason($0)))
            outcomes.put($0)
        }
        return Run(task: task, events: events, updated: updated, outcomes: outcomes)
    }
}
