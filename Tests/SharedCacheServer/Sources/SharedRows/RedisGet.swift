import KingfisherSharedCache

/// Reads of 20 KB, on the executor of the client, as a tier does them.
struct RedisGet {
    private static let count = 4096

    private let client: NIORedisClient
    private let width: Int

    init(port: Int, width: Int) async throws {
        client = try SharedRows.client(port: port)
        self.width = width
        let value = String(repeating: "x", count: 20_000)
        _ = try await client.send(RedisCommand("SET", ["row", .text(value)], key: "row"))
    }

    func run() async throws -> Int {
        let start = SharedRows.cpu()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<width {
                group.addTask(executorPreference: client.executor) {
                    for _ in 0..<Self.count / width {
                        _ = try await client.send(RedisCommand("GET", ["row"], key: "row"))
                    }
                }
            }
            try await group.waitForAll()
        }
        return SharedRows.cpu() - start
    }
}
