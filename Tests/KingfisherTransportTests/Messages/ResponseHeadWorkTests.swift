import CLinux
import Foundation
import Testing

@testable import KingfisherTransport

/// The work that a server can cause with a head.
@Suite struct ResponseHeadWorkTests {
    /// Copying the value for each repetition would copy 32 GB here.
    @Test func repeatedFieldsAreJoinedInLinearTime() {
        let count = 8_000
        var head = ResponseHead(limit: 16 << 20)
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000)
        let line = Array("a: ".utf8) + value + [13, 10]
        let start = threadTime()
        for line in [Array("HTTP/1.1 200\r\n".utf8)] + Array(repeating: line, count: count) + [[13, 10]] {
            _ = line.withUnsafeBytes { head.append($0) }
        }
        let length = head.fields.byName["a"]?.utf8.count
        let seconds = threadTime() - start
        #expect(length == count * 1_002 - 2)
        #expect(seconds < 4)
    }

    /// The CPU time of this thread alone, so that other work of the machine does not count.
    private func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
