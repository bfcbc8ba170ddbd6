import Foundation
import KingfisherTestSupport

/// Sends a progressive photograph scan by scan: with a wait after each, or as far as it is let.
struct ScanSender: Sendable {
    /// What keeps answers back after each scan, for a screenshot.
    struct Stops: Sendable {
        private let gates: [ServerGate]

        init(scans: Int) { gates = (0..<scans).map { _ in ServerGate() } }

        subscript(scan: Int) -> ServerGate? { gates.indices.contains(scan - 1) ? gates[scan - 1] : nil }

        /// Lets everything up to the end of `scan` pass.
        func release(upTo scan: Int) {
            for gate in gates.prefix(scan - 1) { gate.release() }
        }

        func release() { release(upTo: gates.count + 1) }
    }

    let pieces: [Data]

    /// A scan ends where the marker behind it has come, so that each piece brings the first
    /// bytes of the next.
    init(_ file: Data) throws {
        var (pieces, rest, offset) = ([Data](), file.startIndex, file.startIndex + 2)
        var isInScan = false
        while offset < file.endIndex, let marker = file[offset...].firstIndex(of: 0xFF),
            marker + 3 < file.endIndex
        {
            let code = file[marker + 1]
            guard code != 0, code != 0xFF, !(0xD0...0xD7).contains(code) else {
                offset = marker + 1
                continue
            }
            if isInScan {
                pieces.append(file[rest..<marker + 2])
                rest = marker + 2
            }
            isInScan = code == 0xDA
            offset = marker + 2 + Int(file[marker + 2]) << 8 + Int(file[marker + 3])
        }
        pieces.append(file[rest...])
        guard pieces.count > 2 else { throw Failure("the photograph is not progressive") }
        self.pieces = pieces
    }

    func answer(stops: Stops?, wait: Duration) -> ServerResponse {
        let length = pieces.reduce(0) { $0 + $1.count }
        var steps: [ServerResponse.Step] = [
            .send(ServerResponse.head(200, headers: [("Content-Length", "\(length)")]))
        ]
        for (index, piece) in pieces.enumerated() {
            steps.append(.send(piece))
            if index == pieces.count - 1 { break }
            steps.append(stops?[index + 1].map { .hold($0) } ?? .pause(wait))
        }
        return ServerResponse(steps)
    }
}
