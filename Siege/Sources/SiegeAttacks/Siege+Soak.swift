import Foundation
import KingfisherTestSupport
import Synchronization

extension Siege {
    /// Many requests: mostly hits, some that are made, some errors and some clients that leave. Memory and
    /// open files must not grow after the first tenth. The memory cache is so small that it is full by then.
    func soak() throws -> [Measurement] {
        let image = try Fixtures.data(named: "Photos/astronaut-portrait.jpg")
        let origin = try AttackOrigin(hosts: 4) { $0.hasPrefix("/none") ? .missing : .body([image]) }
        defer { origin.stop() }
        return try withServer(memoryCache: 1) { server in
            let unexpected = Mutex<[String: Int]>([:])
            let start = ContinuousClock.now
            request(server, origin, 0..<scale.soakRequests / 10, unexpected)
            settle(server)
            let (memory, files) = (server.residentMemory, server.openFiles)
            request(server, origin, scale.soakRequests / 10..<scale.soakRequests, unexpected)
            settle(server, atMost: files)
            let after = server.residentMemory
            let detail = unexpected.withLock { $0 }.map { "\($1) x \($0)" }.sorted().joined(separator: "; ")
            return [
                Measurement(
                    "soak-memory-ratio", after / memory, limit: 1.1,
                    detail: "\(memory) MiB, then \(after); \((.now - start) / .seconds(1)) s"),
                Measurement("soak-lost-files", Double(server.openFiles - files), limit: 0),
                Measurement(
                    "soak-unexpected", Double(unexpected.withLock { $0.values.reduce(0, +) }), limit: 0,
                    detail: detail),
            ]
        }
    }

    /// Waits until no connection is left, and what was freed had time to be returned.
    private func settle(_ server: ServerProcess, atMost files: Int = .max) {
        Thread.sleep(forTimeInterval: 5)
        wait(upTo: 30) { server.openFiles <= files }
    }

    private func request(
        _ server: ServerProcess, _ origin: AttackOrigin, _ numbers: Range<Int>,
        _ unexpected: borrowing Mutex<[String: Int]>
    ) {
        let next = Mutex(numbers.lowerBound)
        let threads = DispatchGroup()
        let found = Mutex<[String: Int]>([:])
        for _ in 0..<4 {
            threads.enter()
            Thread.detachNewThread {
                var client: AttackClient?
                while true {
                    let number = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    guard number < numbers.upperBound else { break }
                    if let problem = Self.soakRequest(number, server, origin, &client) {
                        found.withLock { $0[problem, default: 0] += 1 }
                    }
                }
                client?.disconnect()
                threads.leave()
            }
        }
        threads.wait()
        let problems = found.withLock { $0 }
        unexpected.withLock { $0.merge(problems, uniquingKeysWith: +) }
    }

    /// Of 1,000 requests, 970 are for 200 images, 15 for new ones, 5 malformed, 5 for missing sources, and 5
    /// from clients that leave. Returns what is wrong with the response.
    private static func soakRequest(
        _ number: Int, _ server: ServerProcess, _ origin: AttackOrigin, _ client: inout AttackClient?
    ) -> String? {
        func send(_ target: String, _ wanted: Int) -> String? {
            if client == nil { client = try? AttackClient(port: server.port) }
            client?.send(target)
            let status = client?.reply(within: .seconds(30))?.status
            if status != wanted { client = nil }
            return status == wanted ? nil : "\(status.map(String.init) ?? "closed") instead of \(wanted)"
        }
        func target(_ path: String) -> String { Self.target(origin.url(path, host: number % 4), side: 100) }
        switch number % 200 {
        case 0: return send("/unsafe/nonsense/plain/http://127.0.0.2/", 400)
        case 50: return send(target("/none/\(number)"), 404)
        case 100:
            let leaving = try? AttackClient(port: server.port)
            leaving?.send(target("/left/\(number)"))
            leaving?.disconnect()
            return nil
        case 10, 70, 150: return send(target("/new/\(number)"), 200)
        default: return send(target("/photo/\(number % 200)"), 200)
        }
    }
}
