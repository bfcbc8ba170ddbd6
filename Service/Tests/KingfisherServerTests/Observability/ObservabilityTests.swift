import Foundation
import Glibc
import Testing

@testable import KingfisherServer

/// The suites of metrics, log and traces.
@Suite struct ObservabilityTests {}

/// Both ends of a socket that keeps the boundaries of writes.
final class PacketPair {
    let input: Int32
    private let output: Int32

    init() throws {
        var descriptors: [Int32] = [0, 0]
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &descriptors) == 0)
        (input, output) = (descriptors[0], descriptors[1])
    }

    deinit {
        close(input)
        close(output)
    }

    /// The writes since the last call.
    func packets() -> [String] {
        var packets: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { return packets }
            packets.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }
}

extension MetricsRegistry {
    /// The value of a line of the text; nil without such a line.
    func value(_ series: String) -> String? {
        openMetrics.split(separator: "\n").first { $0.hasPrefix(series + " ") }
            .map { String($0.dropFirst(series.count + 1)) }
    }
}
