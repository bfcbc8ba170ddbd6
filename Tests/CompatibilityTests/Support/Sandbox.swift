import Foundation
import Kingfisher
import KingfisherTestSupport

/// A server of images, an empty cache, a downloader and a manager for one test.
///
/// The server has every fixture by its name (`Photos/coffee.jpg`), and after the prefixes of
/// `answer(_:_:_:)`.
final class Sandbox: Sendable {
    let server: LoopbackServer
    let cache: ImageCache
    let downloader = ImageDownloader(name: "compatibility")
    let manager: KingfisherManager
    /// Holds responses below `slow/`, and the second half of those below `halves/`.
    let gate: ServerGate
    private let folder: URL

    init() throws {
        let (gate, visits) = (ServerGate(), Shared<[String: Int]>([:]))
        self.gate = gate
        server = try LoopbackServer { request in
            let visit = visits.change { counts in
                counts[request.path, default: 0] += 1
                return counts[request.path] ?? 0
            }
            return Self.answer(request, visit, gate)
        }
        folder = TestFolders.unused()
        cache = try ImageCache(name: "compatibility", cacheDirectoryURL: folder)
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    deinit {
        gate.release()
        server.stop()
    }

    /// The URL of a fixture, with an optional prefix: `url("flaky/PNG/rgb8.png")`.
    func url(_ path: String) -> URL {
        server.url("/" + path)
    }

    /// For views and prefetchers, which otherwise use the shared cache and downloader.
    var options: KingfisherOptionsInfo {
        [.targetCache(cache), .downloader(downloader)]
    }

    /// Another cache in the same folder.
    func anotherCache(_ name: String) throws -> ImageCache {
        try ImageCache(name: name, cacheDirectoryURL: folder)
    }

    /// A URL for a file or folder that is removed with the sandbox.
    func place(_ name: String) -> URL {
        folder.appendingPathComponent(name)
    }

    private static func answer(_ request: ServerRequest, _ visit: Int, _ gate: ServerGate) -> ServerResponse {
        let path = request.path.dropFirst()
        guard let slash = path.firstIndex(of: "/") else { return .status(404) }
        let rest = String(path[path.index(after: slash)...])
        switch path[..<slash] {
        case "flaky": return visit > 2 ? file(rest) : .status(503)
        case "slow": return file(rest).held(by: gate)
        case "halves":
            guard let data = try? Fixtures.data(named: rest) else { return .status(404) }
            let half = data.count / 2
            return .partial(data.prefix(half), of: data.count, then: .hold(gate))
                .then(.send(data.dropFirst(half)))
        case "moved": return .redirect(to: "/" + rest)
        case "garbage": return .ok(Data(rest.utf8))
        case "packed": return .ok(((try? Fixtures.data(named: rest)) ?? Data()).base64EncodedData())
        case "members":
            return request.header("X-Token") == "open sesame" ? file(rest) : .status(403)
        case "private":
            let expected = "Basic " + Data("me:secret".utf8).base64EncodedString()
            if request.header("Authorization") == expected { return file(rest) }
            return .status(401, headers: [("WWW-Authenticate", "Basic realm=\"images\"")])
        default: return file(String(path))
        }
    }

    private static func file(_ name: String) -> ServerResponse {
        guard let data = try? Fixtures.data(named: name) else { return .status(404) }
        return .ok(data)
    }
}
