import Foundation
import KingfisherTestSupport

/// Serves the bundled photographs on this machine: at once, or as slowly as a network would.
struct PhotoServer: Sendable {
    private let gate = ServerGate()
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { [gate] request in
            let address = URLComponents(string: request.target)
            let name = request.path.split(separator: "/").last ?? ""
            guard let photo = try? Fixtures.data(named: "Photos/\(name)") else { return .status(404) }
            let wait = address?.queryItems?.first { $0.name == "wait" }?.value.flatMap { Int($0) }
            guard let wait else { return .ok(photo) }
            return .ok(photo).delayed(by: .milliseconds(wait)).held(by: gate)
        }
    }

    func url(of exhibit: Exhibit) -> URL {
        server.url("/\(exhibit.file)")
    }

    /// The same picture after so many milliseconds, and not before `answerSlowRequests()`.
    func slowURL(of exhibit: Exhibit, milliseconds: Int) -> URL {
        server.url("/\(exhibit.file)?wait=\(milliseconds)")
    }

    /// Lets the slow answers go; they wait for this, so that there is time to look at what stands in for them.
    func answerSlowRequests() {
        gate.release()
    }

    func stop() {
        gate.release()
        server.stop()
    }
}
