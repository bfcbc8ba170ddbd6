import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// `ImageDownloader.suspend()` and `resume()`.
@Suite struct SuspendedDownloadTests {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    /// A manager of its own over a server.
    private func manager(_ change: (URLSessionConfiguration) -> Void = { _ in }) throws -> KingfisherManager {
        let bench = try Bench()
        bench.manager.downloader = ImageDownloader(name: "suspended")
        let configuration = bench.manager.downloader.sessionConfiguration
        change(configuration)
        bench.manager.downloader.sessionConfiguration = configuration
        return bench.manager
    }

    private func load(
        _ url: URL, with manager: KingfisherManager, _ options: KingfisherOptionsInfo = []
    ) -> (task: DownloadTask?, outcomes: Inbox<Outcome>) {
        let outcomes = Inbox<Outcome>()
        let task = manager.retrieveImage(with: url, options: options + [.callbackQueue(.untouch)]) {
            outcomes.put($0)
        }
        return (task, outcomes)
    }

    @Test(
        "New downloads wait, and start by priority and arrival; suspending twice is the same as once",
        .behaviours("N-29"))
    func order() async throws {
        let bench = try Bench()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        bench.downloader.sessionConfiguration = configuration
        #expect(!bench.downloader.isSuspended)
        bench.downloader.resume()
        bench.downloader.suspend()
        bench.downloader.suspend()
        #expect(bench.downloader.isSuspended)
        let urls = (0..<4).map { _ in Bench.freshURL() }
        let priorities: [Float] = [0.1, 0.5, 0.9, 0.5]
        let loads = zip(urls, priorities).map { url, priority in
            load(url, with: bench.manager, [.downloadPriority(priority), .forceRefresh])
        }
        #expect(bench.stub.requests.isEmpty)
        bench.downloader.resume()
        #expect(!bench.downloader.isSuspended)
        for load in loads { _ = try await load.outcomes.only().get() }
        #expect(bench.stub.requests.map(\.url) == [urls[2], urls[1], urls[3], urls[0]])
    }

    @Test(
        "Memory, disk and data providers answer while the downloader is suspended",
        .behaviours("N-29"))
    func caches() async throws {
        let bench = try Bench()
        let disk = Bench.freshURL()
        try await bench.cache.storeToDisk(try TestImages.png, forKey: disk.cacheKey)
        _ = try await bench.retrieve().get()
        bench.downloader.suspend()
        #expect(try await bench.retrieve().get().cacheType == .memory)
        #expect(try await bench.retrieve(disk).get().cacheType == .disk)
        let provider = RawImageDataProvider(data: try TestImages.png, cacheKey: "provided")
        #expect(try await bench.retrieve(.provider(provider)).get().cacheType == .none)
        #expect(bench.stub.requests.count == 1)
    }

    @Test(
        "A suspended download is cancelled once, while it waits and while it runs", arguments: [false, true])
    func cancellation(isRunning: Bool) async throws {
        let gate = ServerGate()
        let image = try TestImages.png
        let server = try LoopbackServer { _ in .partial(image.prefix(64), of: image.count, then: .hold(gate))
        }
        defer { server.stop() }
        let manager = try manager()
        if !isRunning { manager.downloader.suspend() }
        let load = load(server.url("/1.png"), with: manager)
        if isRunning {
            #expect(await poll { gate.arrived == 1 })
            manager.downloader.suspend()
        }
        #expect(await poll { load.task?.isInitialized == true })
        load.task?.cancel()
        #expect(try await load.outcomes.only().failure?.isTaskCancelled == true)
        manager.downloader.resume()
        #expect(await server.wait { $0.openConnections == 0 })
        #expect(server.requestCount() == (isRunning ? 1 : 0) && load.outcomes.count == 1)
    }

    @Test("Of two callers of a suspended download, one is cancelled and the other gets its image")
    func shared() async throws {
        let bench = try Bench()
        bench.downloader.suspend()
        let loads = [load(bench.url, with: bench.manager), load(bench.url, with: bench.manager)]
        #expect(await poll { loads.allSatisfy { $0.task?.isInitialized == true } })
        loads[0].task?.cancel()
        #expect(try await loads[0].outcomes.only().failure?.isTaskCancelled == true)
        bench.downloader.resume()
        _ = try await loads[1].outcomes.only().get()
        #expect(bench.stub.requests.count == 1 && loads[0].outcomes.count == 1)
    }

    @Test(
        "No limit of time runs during a suspension: of a silent server, in total, and before a redirect",
        .behaviours("N-29"),
        arguments: ["idle", "total", "redirect"])
    func limits(kind: String) async throws {
        let gate = ServerGate()
        let image = try TestImages.png
        let server = try LoopbackServer { request in
            if request.path == "/next.png" { return .ok(image) }
            let response: ServerResponse = kind == "redirect" ? .redirect(to: "/next.png") : .ok(image)
            return response.held(by: gate)
        }
        defer { server.stop() }
        let limit = 1.5 * Double(ProcessStatus.slowness)
        let manager = try manager { $0.timeoutIntervalForResource = kind == "idle" ? 60 : limit }
        manager.downloader.downloadTimeout = kind == "idle" ? limit : 15
        let load = load(server.url("/1.png"), with: manager)
        #expect(await poll { gate.arrived == 1 })
        manager.downloader.suspend()
        let early = await poll(upTo: .seconds(1.7)) { load.outcomes.count > 0 }
        #expect(!early)
        gate.release()
        // A redirect that arrives is not followed.
        let follows = await poll(upTo: .milliseconds(500)) { server.requestCount() > 1 }
        #expect(!follows && load.outcomes.count == 0)
        manager.downloader.resume()
        _ = try await load.outcomes.only().get()
    }

    @Test("A request without its range, after a refusal during a suspension, has the rest of the total time")
    func repeatedRequest() async throws {
        let rig = try BodyRig(bytes: 4 * BodyRig.mebibyte)
        rig.serve { $0.cuts = [2 * BodyRig.mebibyte] }
        let manager = try rig.makeManager()
        let configuration = manager.downloader.sessionConfiguration
        configuration.timeoutIntervalForResource = 1.5 * Double(ProcessStatus.slowness)
        manager.downloader.sessionConfiguration = configuration
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        rig.serve { $0.rangeAnswer = { _ in .status(416) } }
        manager.downloader.suspend()
        async let result = rig.load(manager)
        let early = await poll(upTo: .seconds(1.7)) { rig.server.requestCount() > 1 }
        #expect(!early)
        manager.downloader.resume()
        _ = try await result.get()
        #expect(rig.server.requestCount() == 3)
    }

    @Test("A connection that is closed during a suspension is retried after it")
    func closed() async throws {
        let gate = ServerGate()
        let image = try TestImages.png
        let server = try LoopbackServer { [requests = Atomic(0)] _ in
            guard requests.add(1, ordering: .relaxed).newValue == 1 else { return .ok(image) }
            return .partial(image.prefix(64), of: image.count, then: .hold(gate)).then(.close)
        }
        defer { server.stop() }
        let manager = try manager()
        let retry = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0))
        let load = load(server.url("/1.png"), with: manager, [.retryStrategy(retry)])
        #expect(await poll { gate.arrived == 1 })
        manager.downloader.suspend()
        gate.release()
        let early = await poll(upTo: .milliseconds(200)) { server.requestCount() > 1 }
        #expect(!early && load.outcomes.count == 0)
        manager.downloader.resume()
        _ = try await load.outcomes.only().get()
        #expect(server.requestCount() == 2)
    }

    @Test("A new session configuration leaves the downloader suspended, and no old download waits for ever")
    func configuration() async throws {
        let server = try LoopbackServer { _ in .ok((try? TestImages.png) ?? Data()) }
        defer { server.stop() }
        let (real, bench) = (try manager(), try Bench())
        for (manager, url) in [(real, server.url("/1.png")), (bench.manager, bench.url)] {
            let downloader = manager.downloader
            downloader.suspend()
            let old = load(url, with: manager)
            #expect(await poll { old.task?.isInitialized == true })
            downloader.sessionConfiguration = .ephemeral
            // The transfers of an injected transport continue.
            let outcome = try await old.outcomes.only()
            #expect(manager === real ? outcome.failure != nil : outcome.failure == nil)
            #expect(downloader.isSuspended)
            let new = load(url, with: manager, [.forceRefresh])
            let early = await poll(upTo: .milliseconds(50)) { new.outcomes.count > 0 }
            #expect(!early)
            downloader.resume()
            _ = try await new.outcomes.only().get()
        }
        #expect(server.requestCount() == 1 && bench.stub.requests.count == 2)
    }

    @Test(
        "Requests complete exactly once while threads suspend, resume and cancel",
        .behaviours("N-29"))
    func race() async throws {
        let image = try TestImages.png
        let server = try LoopbackServer { _ in .ok(image) }
        defer { server.stop() }
        let manager = try manager()
        let downloader = manager.downloader
        let (isOver, ends) = (Locked(false), Inbox<Void>())
        for _ in 0..<2 {
            Thread {
                while !isOver.withLock(\.self) {
                    downloader.suspend()
                    usleep(.random(in: 0...200))  // Any moment may be the wrong one.
                    downloader.resume()
                    usleep(.random(in: 0...200))
                }
                ends.put()
            }.start()
        }
        let loads = (0..<1_500).map { number in
            let load = load(server.url("/\(number % 700).png"), with: manager, [.forceRefresh])
            if number.isMultiple(of: 3) {
                DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 0...2_000))) {
                    load.task?.cancel()
                }
            }
            return load
        }
        var images = 0
        for (number, load) in loads.enumerated() {
            switch try await load.outcomes.first() {
            case .success: images += 1
            case .failure(let error): #expect(error.isTaskCancelled && number.isMultiple(of: 3))
            }
        }
        isOver.withLock { $0 = true }
        _ = try await ends.first(2)
        await passMainQueue()
        #expect(images >= 1_000 && loads.allSatisfy { $0.outcomes.count == 1 })
        #expect(!downloader.isSuspended && downloader.transfers.withLock(\.isEmpty))
    }
}
