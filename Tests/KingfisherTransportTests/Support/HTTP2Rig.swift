import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Transfers over TLS to servers on this machine that speak HTTP/2, under one transport.
struct HTTP2Rig {
    let transport = curlTransport()
    private let tls: TLSConfiguration

    init() throws { tls = try TLSRig.configuration() }

    @discardableResult
    func start(
        _ url: URL, _ handler: Recorder = Recorder(), _ change: (inout TransportRequest) -> Void = { _ in }
    ) -> any TransportTask {
        let request = request(url) { request in
            request.tls = tls
            change(&request)
        }
        return transport.start(request, handler: handler)
    }

    /// Starts several transfers at the same time, with the paths `/0`, `/1` and so on.
    func start(_ count: Int, at url: (String) -> URL) -> [Recorder] {
        (0..<count).map { index in
            let handler = Recorder()
            start(url("/\(index)"), handler)
            return handler
        }
    }
}

extension Recorder {
    /// Waits for the result, and returns its metrics or throws its error.
    func metrics(sourceLocation: SourceLocation = #_sourceLocation) async throws -> TransportMetrics {
        try await result(sourceLocation: sourceLocation).get()
    }
}

extension HTTP2Connection {
    /// Sends a frame until the client closes the connection, 1,000 at a time, and reads in between.
    func flood(_ frame: HTTP2Frame) {
        let frames = Data(repeatElement(frame.encoded, count: 1_000).joined())
        while send(frames) { readArrived() }
    }
}
