import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// A handler that streams a cached file of 20 MB to a socket.
@Suite struct FileStreamingTests {
    @Test("Whole files and ranges arrive while the file is evicted; conditions are answered")
    func responses() async throws {
        let bench = try Bench()
        try await LargeFile.store(in: bench.cache)
        let all = 0..<LargeFile.byteCount
        let tag = try #require(try await bench.cache.openFile(forKey: "key")?.entityTag)
        let cases: [([String], Range<Int>, String)] = [
            ([], all, "200"), (["Range: bytes=5000000-5999999"], 5_000_000..<6_000_000, "206"),
            (["Range: bytes=-100"], all.suffix(100), "206"), (["If-None-Match: \(tag)"], 0..<0, "304"),
            (["Range: bytes=20000000-"], 0..<0, "416"),
        ]
        for (fields, range, status) in cases {
            let server = try FileServer(bench.cache)
            async let served: Void = server.serve("key")
            let (head, isExpected) = try await server.get(fields, expecting: range)
            try await served
            #expect(head.hasPrefix("HTTP/1.1 \(status) ") && isExpected, "\(fields)")
            #expect(head.contains("Content-Length: \(range.count)\r\n") == (status != "304"))
        }
        let server = try FileServer(bench.cache)
        let removal = Locked(true)
        async let served: Void = server.serve("key") {
            // The name disappears after the first piece.
            let isFirst = removal.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isFirst { try? bench.cache.diskStorage.removeAll() }
        }
        let (_, isExpected) = try await server.get([], expecting: all)
        try await served
        #expect(isExpected && !bench.cache.isCached(forKey: "key"))
    }

    @Test("Streaming holds a few pieces in memory, not the file", .enabled(if: !ProcessStatus.isSanitized))
    func memory() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            try await LargeFile.store(in: bench.cache)
            func stream(_ fields: [String], _ range: Range<Int>) async throws -> Int {
                let server = try FileServer(bench.cache)
                let peak = Locked(0)
                let before = ProcessStatus.anonymousBytes
                async let served: Void = server.serve("key") {
                    let now = ProcessStatus.anonymousBytes
                    peak.withLock { $0 = max($0, now) }
                }
                let (_, isExpected) = try await server.get(
                    fields, expecting: range)
                try await served
                #expect(isExpected)
                return peak.withLock { $0 } - before
            }
            // The first response makes threads.
            _ = try await stream(["Range: bytes=0-999999"], 0..<1_000_000)
            let all = 0..<LargeFile.byteCount
            #expect(try await stream(["Range: bytes=1000000-18999999"], 1_000_000..<19_000_000) < 3 << 20)
            #expect(try await stream([], all) < 3 << 20)
        }
    }
}
