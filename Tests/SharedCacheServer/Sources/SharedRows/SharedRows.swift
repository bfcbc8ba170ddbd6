import Foundation
import Glibc
import KingfisherSharedCache

/// Work of the rows `redis-get` and `shared-hit`, on an engine on a port of 127.0.0.1.
///
///     shared-rows redis-get PORT WIDTH    reads 20 KB 4,096 times, WIDTH at a time
///     shared-rows shared-hit PORT FILE    loads 20 thumbnails of a photograph that another machine has made
///     shared-rows shared-build PORT FILE  makes them
///
/// Responds to each line `run` of standard input with the CPU time of the process in nanoseconds.
@main
enum SharedRows {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[2]) else { exit(2) }
        let run: @Sendable () async throws -> Int
        switch arguments[1] {
        case "redis-get":
            let row = try await RedisGet(port: port, width: Int(arguments[3]) ?? 1)
            run = { try await row.run() }
        case "shared-hit", "shared-build":
            let row = try SharedHit(port: port, file: arguments[3])
            let isHit = arguments[1] == "shared-hit"
            if isHit { try await row.share() }
            run = { try await isHit ? row.hit() : row.build() }
        default: exit(2)
        }
        while let line = readLine(), line == "run" {
            FileHandle.standardOutput.write(Data("\(try await run())\n".utf8))
        }
    }

    /// The CPU time of this process in nanoseconds.
    static func cpu() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    static func client(port: Int) throws -> NIORedisClient {
        var configuration = try RedisConfiguration(url: "redis://127.0.0.1:\(port)", environment: [:])
        configuration.connectionsPerNode = 1
        return try NIORedisClient(configuration)
    }
}
