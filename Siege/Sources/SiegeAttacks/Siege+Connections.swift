import Foundation
import KingfisherTestSupport

extension Siege {
    /// An endless response in chunks of one byte.
    func chunkFlood() throws -> [Measurement] {
        let origin = try AttackOrigin { _ in .chunkFlood }
        defer { origin.stop() }
        let images = try Self.smallImages()
        defer { images.stop() }
        return try withServer { server in
            let calm = (0..<10).map { Self.innocent(server, images, 100 + $0) }.sorted()[5]
            let flooded = Flooded(server.port, Self.target(origin.url("/flood")))
            try begin { origin.openTransfers == 1 }
            var worst = 0.0
            for number in 0..<scale.innocents where !flooded.isAnswered {
                worst = max(worst, Self.innocent(server, images, 1_000 + number))
            }
            let delay = Measurement(
                "chunk-flood-delay-ms", max(0, worst - calm) * 1_000, limit: scale.delay * 1_000)
            guard scale.awaitsLimit else { return [delay] }
            wait(upTo: 30) { flooded.isAnswered }
            let text = flooded.reply?.text ?? "no response"
            let overrun = (flooded.reply?.seconds ?? 60) - Self.downloadLimit
            return [
                delay,
                Measurement("chunk-flood-overrun-s", max(0, overrun), limit: 1),
                Measurement(
                    "chunk-flood-limit-unnamed", Self.namesLimit(text) ? 0 : 1, limit: 0, detail: text),
            ]
        }
    }

    /// Seconds that the server lets a download take.
    private static let downloadLimit = 10.0

    /// Whether a text names the exceeded limit, which is not the idle timeout.
    private static func namesLimit(_ text: String) -> Bool {
        text.contains(/exceeds|as a whole|too long|too slow|at most|limit/) && !text.contains("silent")
    }

    /// Bodies that arrive byte by byte from many hosts, and a request to a different host.
    func drippingHosts() throws -> [Measurement] {
        let origin = try AttackOrigin(hosts: scale.slowHosts) { _ in .dripping(every: .milliseconds(100)) }
        defer { origin.stop() }
        let images = try Self.smallImages()
        defer { images.stop() }
        return try withServer { server in
            let count = scale.slowHosts * scale.slowRequestsPerHost
            let clients = try (0..<count).map { number in
                let client = try AttackClient(port: server.port)
                client.send(Self.target(origin.url("/drip/\(number)", host: number % scale.slowHosts)))
                return client
            }
            defer { for client in clients { client.disconnect() } }
            // The transport allows 256; a queue before it may allow fewer.
            wait(upTo: 3) { origin.openTransfers >= min(count, 256) }
            try begin { origin.openTransfers >= min(count, 60) }
            let worst = (0..<3).map { Self.innocent(server, images, 100 + $0) }.max() ?? 0
            return [Measurement("dripping-hosts-other-host-s", worst, limit: scale.otherHostWait)]
        }
    }

    /// Requests without a response from a host, and one more to the same host that gets a response.
    func silentHost() throws -> [Measurement] {
        let image = try Fixtures.data(named: "Photos/astronaut-portrait.jpg")
        let origin = try AttackOrigin { path in
            if path.hasPrefix("/innocent") { return .body([image]) }
            return Self.number(path).isMultiple(of: 2) ? .silent : .silentAfterHead
        }
        defer { origin.stop() }
        return try withServer { server in
            let clients = try (0..<scale.silentRequests).map { number in
                let client = try AttackClient(port: server.port)
                client.send(Self.target(origin.url("/silent/\(number)")))
                return client
            }
            defer { for client in clients { client.disconnect() } }
            try begin { origin.openTransfers >= min(scale.silentRequests, 6) }
            let innocent = Self.target(origin.url("/innocent/100"))
            let outcome = Crowd.ask(server.port, for: innocent, until: .now + .seconds(30))
            return [
                Measurement(
                    "silent-host-same-host-s", outcome.isThumbnail ? outcome.seconds : 30,
                    limit: scale.sameHostWait, detail: outcome.isThumbnail ? "" : outcome.text)
            ]
        } + otherHosts()
    }

    /// Requests to a host while very many wait for a silent one.
    private func otherHosts() throws -> [Measurement] {
        let origin = try AttackOrigin(hosts: 2) { _ in .silent }
        defer { origin.stop() }
        let images = try Self.smallImages()
        defer { images.stop() }
        return try withServer(Self.connections(2 * scale.outstandingRequests)) { server in
            let alone = honest(server, images, from: 1_000)
            let clients = try (0..<scale.outstandingRequests).map { number in
                let client = try AttackClient(port: server.port)
                client.send(Self.target(origin.url("/silent/\(number)", host: 1)))
                return client
            }
            defer { for client in clients { client.disconnect() } }
            try begin { origin.openTransfers >= 6 && server.openFiles > scale.outstandingRequests }
            let during = honest(server, images, from: 2_000)
            return [
                Measurement("silent-host-other-host-failures", Double(during.failures), limit: 0),
                Measurement(
                    "silent-host-other-host-p99-ratio", during.slowest / alone.slowest,
                    limit: scale.honestDelay, detail: "\(during.slowest) s, alone \(alone.slowest) s"),
            ]
        }
    }

    /// The options for a number of connections, all from one address.
    private static func connections(_ count: Int) -> [String] {
        ["--connections", "\(count)", "--connections-per-client", "\(count)"]
    }

    /// Requests one after the other, without retries: the 99th percentile of their seconds, and failures.
    private func honest(
        _ server: ServerProcess, _ images: AttackOrigin, from first: Int
    ) -> (slowest: Double, failures: Int) {
        let replies = (first..<first + scale.honestRequests).map { number -> AttackClient.Reply? in
            guard let client = try? AttackClient(port: server.port) else { return nil }
            client.send(Self.target(images.url("/honest/\(number)")))
            return client.reply(within: .seconds(30))
        }
        let seconds = replies.map { $0?.seconds ?? 30 }.sorted()
        return (seconds[seconds.count * 99 / 100], replies.count { $0?.status != 200 })
    }

    /// Clients that request one image very often and read nothing.
    func stalledReaders() throws -> [Measurement] {
        let photo = try DistinctPhotos(width: 2_000, height: 1_500).pieces(0)
        let origin = try AttackOrigin { _ in .body(photo) }
        defer { origin.stop() }
        return try withServer(["--write-timeout", "\(scale.writeSeconds) s"]) { server in
            let target = Self.target(origin.url("/photo"), side: 2_000)
            let client = try AttackClient(port: server.port)
            client.send(target)
            // More than the kernel buffers.
            let count = client.reply(within: .seconds(30)).map { (32 << 20) / max($0.body.count, 1) } ?? 0
            let (memory, files) = (server.memory, server.openFiles)
            let sampler = MemorySampler(server)
            let stalled = try (0..<scale.stalledClients).map { _ in
                let client = try AttackClient(port: server.port)
                for _ in 0..<count { client.send(target) }
                return client
            }
            defer { for client in stalled { client.disconnect() } }
            try begin { server.openFiles >= files + stalled.count / 2 }
            let slowest = (0..<20).map { _ in Self.hit(server, target) }.max() ?? 0
            let limit = Double(scale.writeSeconds) + scale.closingTime
            let open = lastMoment(within: limit + 10) { server.openFiles > files + stalled.count / 10 }
            return [
                Measurement("stalled-readers-slowest-hit-s", slowest, limit: scale.hitDelay),
                Measurement("stalled-readers-open-s", open, limit: limit),
                Measurement(
                    "stalled-readers-peak-above-idle-MiB", sampler.stop() - memory,
                    limit: scale.stalledMemory),
            ]
        }
    }

    /// Clients that disconnect: first from transfers, then from decodes.
    func leavingClients() throws -> [Measurement] {
        let png = HostileFile.clearPNG(side: scale.leftPNGSide, bitsPerSample: 8)
        let origin = try AttackOrigin { $0.hasPrefix("/png") ? .body([png]) : .silentAfterHead }
        defer { origin.stop() }
        return try withServer { server in
            func clients(_ name: String) throws -> [AttackClient] {
                try (0..<scale.leavingClients).map { number in
                    let client = try AttackClient(port: server.port)
                    client.send(Self.target(origin.url("/\(name)/\(number)")))
                    return client
                }
            }
            var leaving = try clients("silent")
            try begin { origin.openTransfers >= min(scale.leavingClients, 6) }
            for client in leaving { client.disconnect() }
            let open = lastMoment(within: 15) { origin.openTransfers > 0 }

            let before = origin.completedCount
            leaving = try clients("png")
            wait(upTo: 3) { origin.completedCount - before >= scale.leavingClients }
            try begin { origin.completedCount > before }
            for client in leaving { client.disconnect() }
            // The decodes that have begun go on: they get two seconds of processor time, which take longer
            // beside other programs.
            let cancelled = server.cpuTime
            var seen = cancelled
            _ = lastMoment(within: 10) {
                let isWorking = server.cpuTime > seen
                seen = server.cpuTime
                return isWorking && seen - cancelled < 2
            }
            let start = server.cpuTime
            Thread.sleep(forTimeInterval: scale.leftWorkSeconds)
            return [
                Measurement("leaving-clients-transfers-open-s", open, limit: scale.leavingTime),
                Measurement("leaving-clients-work-left-CPU-s", server.cpuTime - start, limit: scale.leftWork),
            ]
        }
    }

    /// Waits until an attack has reached the origin. Throws if it does not, because the result would be
    /// meaningless.
    func begin(_ hasBegun: () -> Bool) throws {
        wait(upTo: 10, until: hasBegun)
        guard hasBegun() else { throw Failure.attackNotBegun }
    }

    /// Waits until a condition holds, at most for some seconds.
    func wait(upTo seconds: Double, until condition: () -> Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        while !condition(), .now < end { usleep(5_000) }
    }

    /// Seconds until a condition held for the last time; after that it must be false for one second.
    func lastMoment(within seconds: Double, _ condition: () -> Bool) -> Double {
        let start = ContinuousClock.now
        var last = start
        while .now < start + .seconds(seconds), .now < last + .seconds(1) {
            if condition() { last = .now }
            usleep(5_000)
        }
        return (last - start) / .seconds(1)
    }
}
