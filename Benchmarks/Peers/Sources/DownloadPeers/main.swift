import Foundation
import FoundationNetworking
import Glibc

// The peers async-http-client and url-session of the download rows, with the protocol of Worker.swift:
//
//     DownloadPeers CLIENT BASE_URL COUNT CONCURRENCY [AUTHORITY]
//
// loads BASE_URL followed by 0 ... COUNT-1 into memory. AUTHORITY is a PEM file with the authority that has
// signed the server's certificate, for async-http-client.

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// A client that loads one body.
protocol Client: Sendable {
    /// The number of bytes of the body.
    func load(_ url: String) async throws -> Int
}

func run(_ client: some Client, _ base: String, count: Int, concurrency: Int) async throws {
    let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
        for first in 0..<concurrency {
            group.addTask {
                var bytes = 0
                for number in stride(from: first, to: count, by: concurrency) {
                    bytes += try await client.load("\(base)\(number)")
                }
                return bytes
            }
        }
        return try await group.reduce(0, +)
    }
    guard bytes > 0 else { throw Failure(description: "no bytes") }
}

func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func serve(_ client: some Client, _ arguments: ArraySlice<String>) async throws {
    let numbers = arguments.dropFirst().prefix(2).compactMap { Int($0) }
    guard let base = arguments.first, numbers.count == 2 else {
        throw Failure(description: "BASE COUNT CONCURRENCY")
    }
    while let line = readLine() {
        guard line == "clocks" else { throw Failure(description: "unknown command: \(line)") }
        let (wall, processor) = (nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_PROCESS_CPUTIME_ID))
        try await run(client, base, count: numbers[0], concurrency: numbers[1])
        print(nanoseconds(CLOCK_MONOTONIC) - wall, nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor)
        fflush(nil)
    }
}

do {
    let arguments = CommandLine.arguments.dropFirst()
    let rest = arguments.dropFirst()
    let concurrency = rest.dropFirst(2).first.flatMap { Int($0) } ?? 1
    let authority = rest.dropFirst(3).first
    switch arguments.first {
    case "async-http-client":
        let client = try AsyncClient(connections: concurrency, authority: authority)
        try await serve(client, rest)
        try await client.shutDown()
    case "url-session": try await serve(SessionClient(connections: concurrency), rest)
    default: throw Failure(description: "unknown client")
    }
} catch {
    FileHandle.standardError.write(Data("DownloadPeers: \(error)\n".utf8))
    exit(1)
}
