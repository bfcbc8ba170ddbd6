import Foundation
import KingfisherTestSupport
import Synchronization

/// Serves the bundled photographs on this machine: at once, as slowly as a network would, or not at all.
final class PhotoServer: Sendable {
    private struct State {
        var conditions = NetworkConditions()
        /// Keeps answers back for a screenshot: the share of them that it concerns, and what opens the way.
        var hold: (share: Double, gate: ServerGate)?
        /// Keeps progressive photographs back after each of their scans.
        var stops: ScanSender.Stops?
        var requestsOfBusyPaths: [String: Int] = [:]
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

    // MARK: Addresses

    /// The photograph under the conditions that the user has set; each copy is an image of its own.
    func url(of photo: Photo, copy: String = "1") -> URL {
        server.url("/photos/\(copy)/\(photo.file)")
    }

    /// The photograph at once.
    func directURL(of photo: Photo, copy: String = "1") -> URL {
        server.url("/direct/\(copy)/\(photo.file)")
    }

    /// A progressive photograph, sent scan by scan; each copy is an image of its own.
    func scansURL(copy: String) -> URL {
        server.url("/scans/\(copy)/photo.jpg")
    }

    /// Where `fault` happens.
    func url(of fault: Fault, copy: Int = 1) -> URL {
        server.url("/faults/\(fault.rawValue)/\(copy)")
    }

    /// What the server sends as `photo`.
    func bytes(of photo: Photo) throws -> Data {
        try files.bytes(of: photo)
    }

    // MARK: Behaviour

    var conditions: NetworkConditions {
        get { state.value.withLock(\.conditions) }
        set { state.value.withLock { $0.conditions = newValue } }
    }

    var requestCount: Int { server.requestCount() }

    /// How often the image at `url` was asked for.
    func requestCount(of url: URL) -> Int { server.requestCount(url.path) }

    /// Keeps back about this share of the photographs until `release()`.
    func hold(share: Double) {
        state.value.withLock { $0.hold = (share, ServerGate()) }
    }

    /// How many answers are kept back now.
    var heldCount: Int { state.value.withLock { $0.hold?.gate.arrived ?? 0 } }

    /// Keeps progressive photographs back after each scan, as far as the stops tell.
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

    /// What the server's threads share.
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
            if let hold, NetworkConditions.fraction(of: path) < hold.share {
                return response.held(by: hold.gate)
            }
            return response.delayed(by: conditions.delay(for: path))
        }

        private func answer(_ fault: Fault, at path: String) -> ServerResponse {
            let count = value.withLock { state in
                state.requestsOfBusyPaths[path, default: 0] += 1
                return state.requestsOfBusyPaths[path, default: 0]
            }
            guard let photo = try? files.bytes(of: .coffee) else { return .status(500) }
            return fault.answer(toRequest: count, photo: photo, path: path)
        }
    }
}
