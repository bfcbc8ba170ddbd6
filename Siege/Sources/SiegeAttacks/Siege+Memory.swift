import Foundation
import KingfisherTestSupport

extension Siege {
    /// So much is transferred and decoded that the usual limits of time would end most of it.
    private static let patience = ["--download-timeout", "100 s", "--request-timeout", "120 s"]

    /// Bodies of 15 MB that arrive concurrently from twenty hosts.
    func largeBodies() throws -> [Measurement] {
        let photos = try DistinctPhotos(byteCount: 15 << 20)
        // Every second body has no Content-Length.
        let origin = try AttackOrigin(hosts: 20) { path in
            let number = Self.number(path)
            return number.isMultiple(of: 2) ? .body(photos.pieces(number)) : .chunked(photos.pieces(number))
        }
        defer { origin.stop() }
        let targets = (0..<scale.bodyClients).map { Self.target(origin.url("/body/\($0)", host: $0 % 20)) }
        return try withServer(Self.patience) { server in
            let (peak, outcomes) = crowd(server, targets, clients: scale.bodyClients)
            return [
                Measurement("large-bodies-peak-MiB", peak, limit: scale.bodyMemory),
                .unanswered("large-bodies", outcomes),
            ]
        }
    }

    /// Different photographs of 12 megapixels.
    func photos() throws -> [Measurement] {
        let photos = try DistinctPhotos()
        let origin = try AttackOrigin(hosts: 20) { .body(photos.pieces(Self.number($0))) }
        defer { origin.stop() }
        let targets = (0..<scale.photos).map { Self.target(origin.url("/photo/\($0)", host: $0 % 20)) }
        return try withServer(Self.patience) { server in
            let before = server.memory
            let (peak, outcomes) = crowd(server, targets, clients: scale.photoClients)
            Thread.sleep(forTimeInterval: scale.rest)
            let limit = 1.3 * before + Double(Self.memoryCache + Self.pixelPool)
            return [
                Measurement("photos-peak-MiB", peak, limit: scale.photoMemory),
                .unanswered("photos", outcomes),
                Measurement("photos-a-minute-later-MiB", server.memory, limit: limit),
            ]
        }
    }

    /// PNG files with many pixels of 16 bits per sample, of which a thumbnail needs few rows at a time.
    func deepPNG() throws -> [Measurement] {
        let file = HostileFile.clearPNG(side: scale.pngSide, bitsPerSample: 16)
        let origin = try AttackOrigin(hosts: 2) { _ in .body([file]) }
        defer { origin.stop() }
        func growth(_ count: Int) throws -> (Double, [Crowd.Outcome]) {
            let targets = (0..<count).map { Self.target(origin.url("/png/\($0)", host: $0 % 2), side: 64) }
            return try withServer(Self.patience + ["--max-source-pixels", "100 MP"]) { server in
                let idle = server.memory
                let (peak, outcomes) = crowd(server, targets, clients: count)
                return (peak - idle, outcomes)
            }
        }
        let (one, oneOutcome) = try growth(1)
        let (eight, eightOutcomes) = try growth(8)
        return [
            Measurement("deep-png-above-idle-MiB", one, limit: scale.pngMemory),
            Measurement("deep-png-eight-above-idle-MiB", eight, limit: scale.pngMemoryOfEight),
            .unanswered("deep-png", oneOutcome + eightOutcomes),
        ]
    }

    /// A GIF with very many frames, of which a thumbnail needs the first. `Siege/worst-case` decodes all of
    /// them.
    func longGIF() throws -> [Measurement] {
        let file = HostileFile.longGIF(frames: scale.gifFrames, side: 3_000)
        let origin = try AttackOrigin { _ in .body([file]) }
        defer { origin.stop() }
        return try withServer(["--max-frames", "\(scale.gifFrames)"]) { server in
            let before = server.cpuTime
            let target = Self.target(origin.url("/gif"))
            let outcome = Crowd.ask(server.port, for: target, until: .now + .seconds(120))
            return [
                Measurement("long-gif-CPU-s", server.cpuTime - before, limit: scale.gifCPU),
                .unanswered("long-gif", [outcome]),
            ]
        }
    }

    /// The three attacks that use the most memory, in a control group with 512 MiB.
    func controlGroup() throws -> [Measurement]? {
        guard let group = ControlGroup(mebibytes: 512) else { return nil }
        defer { group.remove() }
        let photos = try DistinctPhotos()
        let bodies = try DistinctPhotos(byteCount: 15 << 20)
        let png = HostileFile.clearPNG(side: scale.pngSide, bitsPerSample: 16)
        let origin = try AttackOrigin(hosts: 20) { path in
            if path.hasPrefix("/png") { return .body([png]) }
            return .body((path.hasPrefix("/body") ? bodies : photos).pieces(Self.number(path)))
        }
        defer { origin.stop() }
        let wanted = [("body", scale.bodyClients), ("photo", scale.photos), ("png", 8)]
        return try withServer(["--max-source-pixels", "100 MP"], in: group) { server in
            for (name, count) in wanted {
                let targets = (0..<count).map { Self.target(origin.url("/\(name)/\($0)", host: $0 % 20)) }
                _ = crowd(server, targets, clients: scale.photoClients)
            }
            let kills = group.kills + (server.isRunning ? 0 : 1)
            return [Measurement("control-group-kills", Double(kills), limit: 0)]
        }
    }

    /// Runs the clients, and returns the peak memory of the server.
    private func crowd(
        _ server: ServerProcess, _ targets: [String], clients: Int
    ) -> (peak: Double, outcomes: [Crowd.Outcome]) {
        let sampler = MemorySampler(server)
        let outcomes = Crowd.ask(server.port, for: targets, clients: clients)
        return (sampler.stop(), outcomes)
    }
}
