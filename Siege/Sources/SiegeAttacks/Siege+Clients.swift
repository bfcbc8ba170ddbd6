import Foundation
import KingfisherTestSupport

extension Siege {
    /// Bodies of uploads that arrive byte by byte.
    func drippingUploads() throws -> [Measurement] {
        let images = try Self.smallImages()
        defer { images.stop() }
        return try withServer(["--read-timeout", "\(scale.readSeconds) s"]) { server in
            let target = Self.target(images.url("/innocent/1"))
            _ = Self.hit(server, target)
            let files = server.openFiles
            let path = "/unsafe/fit:30x30/expires:4000000000/upload@png"
            let clients = try (0..<scale.drippingUploads).map { number in
                let client = try AttackClient(port: server.port)
                let length =
                    number.isMultiple(of: 2) ? "Content-Length: 16000000" : "Transfer-Encoding: chunked"
                client.sendRaw("POST \(path) HTTP/1.1\r\nHost: a\r\n\(length)\r\n\r\n1\r\n")
                return client
            }
            defer { for client in clients { client.disconnect() } }
            try begin { server.openFiles >= files + clients.count / 2 }
            let (start, limit) = (ContinuousClock.now, Double(scale.readSeconds) + scale.closingTime)
            var (open, slowest) = (limit + 10, 0.0)
            while (.now - start) / .seconds(1) < limit + 5 {
                for client in clients { client.sendRaw("x") }
                slowest = max(slowest, Self.hit(server, target))
                usleep(100_000)
                guard server.openFiles > files + clients.count / 10 else {
                    open = (.now - start) / .seconds(1)
                    break
                }
            }
            return [
                Measurement("dripping-uploads-open-s", open, limit: limit),
                Measurement("dripping-uploads-slowest-hit-s", slowest, limit: scale.hitDelay),
            ]
        }
    }

    /// Requests to many origins, of which a tenth never respond.
    func silentOrigins() throws -> [Measurement] {
        let image = try Fixtures.data(named: "Photos/astronaut-portrait.jpg")
        let origin = try AttackOrigin(hosts: 20) { $0.hasPrefix("/silent") ? .silent : .body([image]) }
        defer { origin.stop() }
        return try withServer { server in
            func slowest(_ name: String) -> (Double, [Crowd.Outcome]) {
                let targets = (0..<scale.mixedRequests).map {
                    Self.target(origin.url("/\(name)/\($0)", host: 2 + $0 % 18))
                }
                let outcomes = Crowd.ask(server.port, for: targets, clients: 4)
                let seconds = outcomes.map(\.seconds).sorted()
                return (seconds[seconds.count * 99 / 100], outcomes)
            }
            let (alone, _) = slowest("alone")
            let silent = try (0..<scale.mixedRequests / 10).map { number in
                let client = try AttackClient(port: server.port)
                client.send(Self.target(origin.url("/silent/\(number)", host: number % 2)))
                return client
            }
            defer { for client in silent { client.disconnect() } }
            try begin { origin.openTransfers >= min(silent.count, 6) }
            let (mixed, outcomes) = slowest("mixed")
            return [
                Measurement(
                    "silent-origins-p99-ratio", mixed / alone, limit: scale.mixedDelay,
                    detail: "\(mixed) s, alone \(alone) s"),
                .unanswered("silent-origins", outcomes),
            ]
        }
    }

    /// Several client addresses: each has its limits, and no one else is harmed.
    func clientAddresses() throws -> [Measurement] {
        let images = try Self.smallImages()
        defer { images.stop() }
        let options = [
            "--connections", "200", "--connections-per-client", "20", "--rate", "2", "--burst", "5",
        ]
        return try withServer(options) { server in
            let target = Self.target(images.url("/innocent/0"))
            guard Self.hit(server, target, host: 99) < 30 else { throw Failure.attackNotBegun }
            // Five addresses open 50 connections each.
            let greedy = (0..<250).compactMap {
                try? AttackClient(port: server.port, host: 2 + UInt8($0 % 5))
            }
            defer { for client in greedy { client.disconnect() } }
            for client in greedy { client.send("/health") }
            let open = greedy.count { $0.reply(within: .seconds(5))?.status == 200 }
            let hits = (0..<20).map { Self.hit(server, target, host: 100 + $0) }
            let flood = try flood(server, images)
            let others = try (0..<5).count { number in
                let client = try AttackClient(port: server.port, host: 120 + UInt8(number))
                client.send(Self.target(images.url("/other/\(number)")))
                return client.reply(within: .seconds(30))?.status != 200
            }
            return [
                Measurement("client-addresses-connections", Double(open), limit: 100),
                Measurement("client-addresses-slowest-hit-s", hits.max() ?? 30, limit: scale.hitDelay),
                Measurement("client-addresses-others-refused", Double(others), limit: 0),
            ] + flood
        }
    }

    /// One address asks for 30 results that have to be made, at a rate of two a second and five at once.
    private func flood(_ server: ServerProcess, _ images: AttackOrigin) throws -> [Measurement] {
        let (start, before) = (ContinuousClock.now, images.requestCount)
        var refused = 0
        for number in 0..<30 {
            let client = try AttackClient(port: server.port, host: 90)
            client.send(Self.target(images.url("/flood/\(number)")))
            if client.reply(within: .seconds(30))?.status == 429 { refused += 1 }
        }
        let allowed = 5 + 2 * ((.now - start) / .seconds(1)) + 1
        let made = images.requestCount - before
        return [
            Measurement("client-addresses-made", Double(made), limit: allowed),
            Measurement("client-addresses-made-or-refused", Double(30 - made - refused), limit: 0),
        ]
    }
}
