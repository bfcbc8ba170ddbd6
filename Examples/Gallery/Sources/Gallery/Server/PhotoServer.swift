import Foundation
import KingfisherTestSupport
import Synchronization

/// Serves the bundled photos on this machine: with a delay, without one, or with simulated failures.
final class PhotoServer: Sendable {
    /// Holds responses back for a screenshot: the fraction of requests, and the gate that releases them.
    private struct Hold {
        let share: Double
        let gate = ServerGate()

        func includes(_ path: String) -> Bool { NetworkConditions.fraction(of: path) < share }
    }

    private struct State {
        var conditions = NetworkConditions()
        var hold: Hold?
        /// Hold progressive photos back after each scan.
        var stops: ScanSender.Stops?
        var requestsOfFaultPaths: [String: Int] = [:]
    }

    private let files: PhotoFiles
    private let state: Shared
    private let server: LoopbackServer

    init() throws {
        let files = PhotoFiles()
        let state = Shared(files)
        (self.files, self.state) = (files, state)
        server = try LoopbackServer { state.answer($0) }
    }

    // MARK: URLs

    /// The photo, with the network conditions that the user has set; each copy is a different image.
    func url(of photo: Photo, copy: String = "1") -> URL {
        server.url("/photos/\(copy)/\(photo.file)")
    }

    func directURL(of photo: Photo, copy: String = "1") -> URL {
        server.url("/direct/\(copy)/\(photo.file)")
    }

    /// A progressive photo, sent scan by scan; each copy is a different image.
    func scansURL(copy: String) -> URL {
        server.url("/scans/\(copy)/photo.jpg")
    }

    func url(of fault: Fault, copy: Int = 1) -> URL {
        server.url("/faults/\(fault.rawValue)/\(copy)")
    }

    func bytes(of photo: Photo) throws -> Data {
        try files.bytes(of: photo)
    }

    // MARK: Behaviour

    var conditions: NetworkConditions {
        get { state.value.withLock(\.conditions) }
        set { state.value.withLock { $0.conditions = newValue } }
    }

    var requestCount: Int { server.requestCount() }

    func requestCount(of url: URL) -> Int { server.requestCount(url.path) }

    /// Holds about this fraction of the photos back until `release()`.
    func hold(share: Double) {
        state.value.withLock { $0.hold = Hold(share: share) }
    }

    /// Whether the photo at `url` was requested and its response is held back.
    func holds(_ url: URL?) -> Bool {
        guard let url, let hold = state.value.withLock(\.hold) else { return false }
        return hold.includes(url.path) && requestCount(of: url) > 0
    }

    var heldCount: Int { state.value.withLock { $0.hold?.gate.arrived ?? 0 } }

    /// Holds progressive photos back after each scan, until the stops are released.
    func holdScans() -> ScanSender.Stops {
        let stops = ScanSender.Stops(scans: 9)
        state.value.withLock { $0.stops = stops }
        return stops
    }

    func release() {
        let stops = state.value.withLock { $0.stops.take() }
        stops?.release()
        let gate = state.value.withLock { state in
            defer { state.hold = nil }
            return state.hold?.gate
        }
        gate?.release()
    }

    func stop() {
        release()
        server.stop()
    }

    private final class Shared: Sendable {
        let value = Mutex(State())
        private let files: PhotoFiles

        init(_ files: PhotoFiles) {
            self.files = files
        }

        func answer(_ request: ServerRequest) -> ServerResponse {
            let parts = request.path.split(separator: "/").map(String.init)
            guard parts.count >= 2, let file = parts.last else { return .status(404) }
            switch parts[0] {
            case "photos": return answer(request.path, with: file)
            case "direct": return answer(with: file)
            case "scans": return scans()
            case "faults":
                return Fault(rawValue: parts[1]).map { answer($0, at: request.path) } ?? .status(404)
            default: return .status(404)
            }
        }

        private func scans() -> ServerResponse {
            let (conditions, stops) = value.withLock { ($0.conditions, $0.stops) }
            guard let sender = try? ScanSender(files.progressive) else { return .status(500) }
            return sender.answer(stops: stops, wait: .seconds(conditions.delay))
        }

        private func answer(with file: String) -> ServerResponse {
            guard let photo = Photo.named(file) else { return .status(404) }
            return (try? files.bytes(of: photo)).map { .ok($0) } ?? .status(500)
        }

        private func answer(_ path: String, with file: String) -> ServerResponse {
            let (conditions, hold) = value.withLock { ($0.conditions, $0.hold) }
            let fails = Double.random(in: 0..<1) < conditions.failureRate
            let response = fails ? .status(503) : answer(with: file)
            if let hold, hold.includes(path) {
                return response.held(by: hold.gate)
            }
            return response.delayed(by: conditions.delay(for: path))
        }

        private func answer(_ fault: Fault, at path: String) -> ServerResponse {
            let count = value.withLock { state in
                state.requestsOfFaultPaths[path, default: 0] += 1
                return state.requestsOfFaultPaths[path, default: 0]
            }
            guard let photo = try? files.bytes(of: .coffee) else { return .status(500) }
            return fault.answer(toRequest: count, photo: photo, path: path)
        }
    }
}
