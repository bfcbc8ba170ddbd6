import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization

/// `count` requests of one manager, whose transport responds with a small file.
@MainActor struct ManyRequests {
    enum Job: String {
        /// All wait for the download of one URL.
        case shared
        /// Each waits for another URL of one host.
        case queued
        /// The URLs of one prefetcher, without and with a progress block.
        case prefetch, progress
    }

    private let count: Int
    private let stub: StubTransport
    private let manager: KingfisherManager

    init(_ folder: URL, _ count: Int) throws {
        let file = try smallFile()
        let stub = StubTransport { _ in .ok(file) }
        // Each run has an empty cache.
        let unused = folder.appending(path: UUID().uuidString, directoryHint: .isDirectory)
        (self.count, self.stub) = (count, stub)
        let downloader = ImageDownloader(name: "growth", transport: stub)
        // Transfers that wait for the stub are slow, and would end in favour of those in the queue.
        downloader.minimumRate = nil
        manager = KingfisherManager(
            downloader: downloader,
            cache: try ImageCache(name: "growth", cacheDirectoryURL: unused))
    }

    func cost(_ job: Job) async throws -> Cost {
        // Waits for the scan of the folder, after which the disk is not asked for unknown names.
        try await Task.sleep(for: .milliseconds(200))
        let urls = try (0..<(job == .shared ? 1 : count)).map(Self.url)
        let cost = try await Cost.of {
            switch job {
            case .shared, .queued: try await wait(for: urls)
            case .prefetch, .progress: try await prefetch(urls, reportsProgress: job == .progress)
            }
        }
        guard stub.requests.count == urls.count else {
            throw Failure(description: "\(stub.requests.count) downloads of \(urls.count) URLs")
        }
        return cost
    }

    private static func url(_ number: Int) throws -> URL {
        guard let url = URL(string: "https://images.example.org/\(number).png") else {
            throw Failure(description: "not a URL")
        }
        return url
    }

    /// The transport responds when all requests wait.
    private func wait(for urls: [URL]) async throws {
        let group = DispatchGroup()
        let failure = Mutex<KingfisherError?>(nil)
        stub.hold()
        for number in 0..<count {
            group.enter()
            manager.retrieveImage(
                with: urls[number % urls.count], options: [.cacheMemoryOnly, .callbackQueue(.untouch)]
            ) { result in
                if case .failure(let error) = result { failure.withLock { $0 = error } }
                group.leave()
            }
        }
        stub.release()
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private func prefetch(_ urls: [URL], reportsProgress: Bool) async throws {
        let progress: PrefetcherProgressBlock = { _, _, _ in }
        let completed: Int = await withCheckedContinuation { continuation in
            let prefetcher = ImagePrefetcher(
                urls: urls, options: [.manager(manager), .waitForCache],
                progressBlock: reportsProgress ? progress : nil,
                completionHandler: { _, _, completed in continuation.resume(returning: completed.count) })
            prefetcher.start()
        }
        guard completed == count else { throw Failure(description: "\(completed) images fetched") }
    }
}
