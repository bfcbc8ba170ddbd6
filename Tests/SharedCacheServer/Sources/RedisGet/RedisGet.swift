import Glibc
import KingfisherSharedCache

/// Prints the CPU time of a read of 20 KB from a server on 127.0.0.1: one at a time, and 32 at a time, or as
/// many as given.
///
///     redis-get PORT COUNT [WIDTH]
@main
enum RedisGet {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard (3...4).contains(arguments.count), let count = Int(arguments[2]) else { exit(2) }
        let widths = arguments.count == 4 ? [Int(arguments[3]) ?? 1] : [1, 32]
        var configuration = try RedisConfiguration(url: "redis://127.0.0.1:\(arguments[1])")
        configuration.connectionsPerNode = 1
        let client = try NIORedisClient(configuration)
        let value = String(repeating: "x", count: 20_000)
        _ = try await client.send(RedisCommand("SET", ["row", .text(value)], key: "row"))
        for width in widths {
            for _ in 0..<2 { try await read(client, count, width) }
            let start = cpu()
            try await read(client, count, width)
            print("redis-get width \(width): \((cpu() - start) / Double(count)) us")
        }
    }

    private static func read(_ client: NIORedisClient, _ count: Int, _ width: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<width {
                // As a tier, which runs on the client's executor.
                group.addTask(executorPreference: client.executor) {
                    for _ in 0..<count / width {
                        _ = try await client.send(RedisCommand("GET", ["row"], key: "row"))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The CPU time of this process in microseconds.
    private static func cpu() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) * 1e6 + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }
}
