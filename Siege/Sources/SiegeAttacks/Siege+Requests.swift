import Foundation
import KingfisherTestSupport

extension Siege {
    /// Requests that are malformed or ambiguous. Each has one clear response or closes its connection, and
    /// hits are answered after each ten.
    func malformedRequests() throws -> [Measurement] {
        let images = try Self.smallImages()
        defer { images.stop() }
        return try withServer(["--read-timeout", "\(scale.readSeconds) s"]) { server in
            let target = Self.target(images.url("/innocent/1"))
            _ = Self.hit(server, target)
            let requests = MalformedRequest.all
            let clients = try requests.map { request in
                let client = try AttackClient(port: server.port)
                client.sendRaw(request.bytes)
                return client
            }
            var (unclear, slowest): ([String], Double) = ([], 0)
            let limit = Duration.seconds(2 * scale.readSeconds + 5)
            for (number, (request, client)) in zip(requests, clients).enumerated() {
                let (bytes, isClosed) = client.everything(within: limit, pause: .milliseconds(200))
                if !request.isClear(bytes, isClosed: isClosed) {
                    let statuses = MalformedRequest.statuses(in: bytes)
                    unclear.append("\(request.name): \(statuses)\(isClosed ? " closed" : "")")
                }
                if number.isMultiple(of: 10) { slowest = max(slowest, Self.hit(server, target)) }
            }
            return [
                Measurement(
                    "malformed-requests-unclear", Double(unclear.count), limit: 0,
                    detail: unclear.joined(separator: "; ")),
                Measurement("malformed-requests-slowest-hit-s", slowest, limit: scale.hitDelay),
            ]
        }
    }

    /// URLs that look like an allowed source and are another one.
    func allowedSources() throws -> [Measurement] {
        let image = try Fixtures.data(named: "Photos/astronaut-portrait.jpg")
        let forbidden = try AttackOrigin(hosts: 2) { _ in .body([image]) }
        defer { forbidden.stop() }
        let other = forbidden.url("/photos/a.jpg", host: 1).absoluteString
        let allowed = try LoopbackServer { request in
            request.path.contains("redirect") ? .redirect(to: other) : .ok(image)
        }
        defer { allowed.stop() }
        let origin = "http://127.0.0.1:\(allowed.port)"
        return try withServer(["--allowed-sources", "\(origin)/photos/"], innocents: false) { server in
            func status(_ source: String) -> Int? {
                let client = try? AttackClient(port: server.port)
                client?.send("/unsafe/fit:30x30/plain/\(source)")
                return client?.reply(within: .seconds(30))?.status
            }
            guard status("\(origin)/photos/a.jpg") == 200 else { throw Failure.attackNotBegun }
            let tricks = Self.tricks(port: Int(allowed.port), other: other)
            let served = tricks.filter { status($0) == 200 }
            let outside = allowed.requests.map(\.target).filter { target in
                !target.hasPrefix("/photos/") || target.contains(/\.\.|%2e|%2f|\\/.ignoresCase())
            }
            return [
                Measurement(
                    "allowed-sources-served", Double(served.count), limit: 0,
                    detail: served.joined(separator: " ")),
                Measurement(
                    "allowed-sources-fetched", Double(outside.count + forbidden.requestCount), limit: 0,
                    detail: outside.joined(separator: " ")),
                Measurement(
                    "allowed-sources-hit-failures", status("\(origin)/photos/a.jpg") == 200 ? 0 : 1, limit: 0),
            ]
        }
    }

    /// Spellings of sources outside `http://127.0.0.1:PORT/photos/`; `other` is the URL of another server.
    private static func tricks(port: Int, other: String) -> [String] {
        let rest = other.dropFirst("http://".count)
        let hosts = [
            "127.0.0.1:\(port)%40\(rest)", "127.0.0.1:\(port)%5C%40\(rest)",
            "127.0.0.1:\(port)%23%40\(rest)",
            "127.0.0.1:\(port)%3F%40\(rest)", "127.0.0.1.localhost:\(port)/photos/a.jpg",
            "localhost:\(port)/photos/a.jpg", "127.0.0.1.:\(port)/photos/a.jpg", "127.1:\(port)/photos/a.jpg",
            "2130706433:\(port)/photos/a.jpg", "0x7f.0.0.1:\(port)/photos/a.jpg",
            "0177.0.0.1:\(port)/photos/a.jpg", "[::ffff:127.0.0.1]:\(port)/photos/a.jpg",
            "127.0.0.2:\(port)/photos/a.jpg", "127.0.0.1/photos/a.jpg", "127.0.0.1:\(port)0/photos/a.jpg",
            "127.0.0.1%E3%80%82:\(port)/photos/a.jpg", "127.0.0.1%00.localhost:\(port)/photos/a.jpg",
            "127.0.0.1%09:\(port)/photos/a.jpg", "u:p%40127.0.0.1:\(port)/photos/a.jpg", String(rest),
        ]
        let paths = [
            "/a.jpg", "/photos", "/photosecret/a.jpg", "/PHOTOS/a.jpg", "/photos/../a.jpg",
            "/photos/%2E%2E/a.jpg", "/photos/%252e%252e/a.jpg", "/photos/..%2Fa.jpg", "/photos/..%252Fa.jpg",
            "/photos/.%2E/a.jpg", "/photos/x/../../a.jpg", "/photos/..%5Ca.jpg", "/photos%2F..%2Fa.jpg",
            "//photos/../a.jpg", "/x/../photos/../a.jpg", "/photos/redirect",
        ]
        return hosts.map { "http://\($0)" } + paths.map { "http://127.0.0.1:\(port)\($0)" }
            + ["https://127.0.0.1:\(port)/photos/a.jpg", "local:///photos/a.jpg", "s3://photos/a.jpg"]
    }

    /// Values of Accept and client hints, of which each could be another result.
    ///
    /// A URL has a result for each of four classes of Accept; with hints, also for each of two widths below
    /// its box.
    func acceptValues() throws -> [Measurement] {
        let images = try Self.smallImages()
        defer { images.stop() }
        return try withServer(["--hint-widths", "100,200"]) { server in
            let plain = Self.target(images.url("/one"))
            var generator = SeededGenerator(seed: 46)
            var failures = 0
            var results: [String: (made: Int, bodies: Set<Data>)] = [:]
            for number in 0..<scale.acceptValues {
                let fields = [
                    ("Accept", Self.acceptValue(&generator)), ("Sec-CH-Width", "\(number)"),
                    ("Sec-CH-DPR", "\(number % 7)"), ("Width", "\(number)"),
                ]
                for target in [plain, plain.replacing("/fit", with: "/hints/fit")] {
                    let client = try AttackClient(port: server.port)
                    client.send(target, headers: fields)
                    let reply = client.reply(within: .seconds(60))
                    var result = results[target] ?? (0, [])
                    if reply?.fields["server-timing"]?.contains("desc=miss") == true { result.made += 1 }
                    if let reply, reply.status == 200 {
                        result.bodies.insert(reply.body)
                    } else {
                        failures += 1
                    }
                    results[target] = result
                }
            }
            let counts = results.mapValues { Double(max($0.made, $0.bodies.count)) }
            return [
                Measurement("accept-values-results", counts[plain] ?? 0, limit: 4),
                Measurement("accept-values-results-hints", counts.values.max() ?? 0, limit: 12),
                Measurement("accept-values-sources", Double(images.requestCount), limit: 1),
                Measurement("accept-values-failures", Double(failures), limit: 0),
            ]
        }
    }

    private static func acceptValue(_ generator: inout SeededGenerator) -> String {
        let names = ["avif", "webp", "jxl", "png", "jpeg", "gif", "apng", "*", "x-other"]
        let quality = ["", ";q=0.5", ";q=0", ";q=1.0", ";q=x", ";level=1"]
        return (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            "image/\(names.randomElement(using: &generator) ?? "*")"
                + (quality.randomElement(using: &generator) ?? "")
        }.joined(separator: ", ")
    }

    /// Purges without the token.
    func purges() throws -> [Measurement] {
        let images = try Self.smallImages()
        defer { images.stop() }
        let file = FileManager.default.temporaryDirectory.appending(path: "siege-\(UUID().uuidString)")
        let token = "0123456789abcdef0123456789abcdef"
        try Data(token.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try withServer(["--purge-token-file", file.path, "--purge-public", "on"]) { server in
            let source = images.url("/one")
            let target = Self.target(source)
            _ = Self.hit(server, target)
            let body = #"{"url":"\#(source.absoluteString)"}"#
            func purge(_ fields: String, _ port: Int, path: String = "/purge") -> Int? {
                let client = try? AttackClient(port: port)
                client?.sendRaw(
                    "POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
                return client?.reply(within: .seconds(20))?.status
            }
            var done = 0
            for port in [server.port, server.adminPort] {
                done += Self.wrongFields(token).count { purge($0, port) != 401 }
                done += purge("", port, path: "/purge?token=\(token)") == 401 ? 0 : 1
            }
            _ = Self.hit(server, target)
            let before = images.requestCount
            let isRight = purge("Authorization: Bearer \(token)\r\n", server.port) == 200
            _ = Self.hit(server, target)
            guard isRight, images.requestCount == before + 1 else { throw Failure.attackNotBegun }
            return [
                Measurement("purges-not-refused", Double(done), limit: 0),
                Measurement("purges-sources", Double(before), limit: 1),
            ]
        }
    }

    /// Header fields that do not prove that a client knows the token.
    private static func wrongFields(_ token: String) -> [String] {
        let tokens = [
            "", "\(token.dropLast())", "\(token)0", "\(token.uppercased())x", "\(token.uppercased())",
            "\(token) \(token)", String(repeating: "0", count: 32), " \(token)",
        ]
        return tokens.map { "Authorization: Bearer \($0)\r\n" } + [
            "", "Authorization: \(token)\r\n", "Authorization: Basic \(token)\r\n",
            "Proxy-Authorization: Bearer \(token)\r\n", "Cookie: token=\(token)\r\n",
            "X-Forwarded-For: 127.0.0.1\r\n",
        ]
    }
}
