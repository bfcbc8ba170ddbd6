import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization

/// Requests images from one manager, 64 concurrently, and checks the outcome of each request.
final class SoakClient: Sendable {
    private static let allowedGrowth = 10 << 20

    private let port: UInt16
    private let folder: URL
    private let manager: KingfisherManager
    private let random = Mutex(SeededGenerator(seed: 5))

    init(_ port: UInt16) throws {
        self.port = port
        folder = FileManager.default.temporaryDirectory.appending(
            path: "kingfisher-soak-\(UUID().uuidString)")
        let cache = try ImageCache(name: "soak", cacheDirectoryURL: folder)
        // Small, so that both are full during the first tenth.
        cache.memoryStorage.config.totalCostLimit = 8 << 20
        cache.diskStorage.config.sizeLimit = 32 << 20
        manager = KingfisherManager(downloader: ImageDownloader(name: "soak"), cache: cache)
    }

    /// Makes `count` requests in ten parts. Returns false if a check fails.
    func run(_ count: Int) async throws -> Bool {
        defer { try? FileManager.default.removeItem(at: folder) }
        var (wrong, first, largest) = (0, 0, 0)
        for tenth in 0..<10 {
            let start = ContinuousClock.now
            wrong += try await run(tenth * count / 10..<(tenth + 1) * count / 10)
            // Cleans like a long-running program, and waits for pending writes.
            await manager.cache.cleanExpiredCache()
            let held = ProcessStatus.residentBytes
            if tenth == 0 { first = held }
            largest = max(largest, abs(held - first))
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            print(
                "soak: \((tenth + 1) * count / 10) requests, \(held >> 10) KB resident, "
                    + "\(ProcessStatus.openDescriptors) descriptors, \(ProcessStatus.threads) threads, "
                    + "\(wrong) wrong, \(Int(Double(count / 10) / seconds)) a second")
            fflush(nil)
        }
        let isFlat = largest <= Self.allowedGrowth
        print(
            "soak: \(largest >> 10) KB is the largest difference from the first tenth: \(isFlat ? "flat" : "NOT FLAT")"
        )
        return isFlat && wrong == 0
    }

    /// The number of requests with an unexpected outcome.
    private func run(_ numbers: Range<Int>) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            var wrong = 0
            for (index, number) in numbers.enumerated() {
                if index >= 64, try await group.next() == false { wrong += 1 }
                group.addTask { try await self.isRight(number) }
            }
            for try await isRight in group where !isRight { wrong += 1 }
            return wrong
        }
    }

    private func isRight(_ number: Int) async throws -> Bool {
        let isFault = number % 20 == 7
        let path = isFault ? SoakPath.faults[number / 20 % SoakPath.faults.count] : .image
        // Most images are new. A third is requested repeatedly, and found in a cache or being loaded.
        let again = random.withLock { Int.random(in: 0..<600, using: &$0) }
        let place = isFault || again >= 200 ? "\(number)" : "again/\(again)"
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(path.rawValue)/\(place)") else {
            return false
        }
        var options: KingfisherOptionsInfo = []
        if number % 2 == 0 {
            options.append(.processor(DownsamplingImageProcessor(size: CGSize(width: 60, height: 60))))
        }
        if number % 4 == 1 { options.append(.cacheMemoryOnly) }
        let wanted = options
        let load = Task { try await manager.retrieveImage(with: url, options: wanted) }
        if path == .silent {
            try await Task.sleep(for: .milliseconds(5))
            load.cancel()
        }
        switch await load.result {
        case .success: return path == .image
        case .failure(let error): return Self.isExpected(error, of: path)
        }
    }

    private static func isExpected(_ error: any Error, of path: SoakPath) -> Bool {
        guard let error = error as? KingfisherError else {
            return path == .silent && error is CancellationError
        }
        return switch (path, error) {
        case (.missing, .responseError(.invalidHTTPStatusCode)), (.broken, .processorError),
            (.reset, .responseError(.URLSessionError)), (.half, .responseError(.URLSessionError)),
            (.loop, .responseError(.URLSessionError)), (.notGzip, .responseError(.URLSessionError)),
            (.silent, .requestError):
            true
        default: false
        }
    }
}
