import Foundation
import KingfisherTestSupport

/// Sends a progressive photo scan by scan, with a pause or a gate after each.
struct ScanSender: Sendable {
    /// One gate after each scan, for a screenshot.
    struct Stops: Sendable {
        private let gates: [ServerGate]

        init(scans: Int) { gates = (0..<scans).map { _ in ServerGate() } }

        subscript(scan: Int) -> ServerGate? { gates.indices.contains(scan - 1) ? gates[scan - 1] : nil }

        /// Sends everything up to the end of `scan`.
        func release(upTo scan: Int) {
            for gate in gates.prefix(scan - 1) { gate.release() }
        }

        func release() { release(upTo: gates.count + 1) }
    }

    let pieces: [Data]

    /// Splits the file. A decoder recognises the end of a scan by the next marker, so each piece includes the
    /// first bytes of the next scan.
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
        guard pieces.count > 2 else { throw Failure("the fixture is not a progressive JPEG") }
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
