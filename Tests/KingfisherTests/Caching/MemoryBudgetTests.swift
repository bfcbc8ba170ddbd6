import Testing

@testable import Kingfisher

@Suite struct MemoryBudgetTests {
    private func bytes(_ groups: String, _ files: [String: String]) -> UInt64 {
        MemoryBudget(physical: 1000, groups: groups, read: { files[$0] }).bytes
    }

    @Test("Without control groups or limits the budget is the machine's memory")
    func machine() {
        #expect(bytes("", [:]) == 1000)
        #expect(bytes("0::/\n", ["/sys/fs/cgroup/memory.max": "max\n"]) == 1000)
        #expect(bytes("0::/a\n", ["/sys/fs/cgroup/a/memory.max": "5000\n"]) == 1000)
        #expect(bytes("nonsense\n1:cpu,cpuacct:/a\n", ["/sys/fs/cgroup/cpu/a/memory.max": "5"]) == 1000)
    }

    @Test("The lowest limit between the process's group and the root applies", arguments: [0, 1, 2])
    func lowest(depth: Int) {
        let paths = ["", "/box", "/box/inner"].map { "/sys/fs/cgroup\($0)/memory.max" }
        var files = Dictionary(uniqueKeysWithValues: paths.map { ($0, "800\n") })
        files[paths[depth]] = "300\n"
        #expect(bytes("0::/box/inner\n", files) == 300)
    }

    @Test("A group's memory.high limits the budget")
    func high() {
        let files = ["/sys/fs/cgroup/a/memory.high": "400\n", "/sys/fs/cgroup/a/memory.max": "800\n"]
        #expect(bytes("0::/a\n", files) == 400)
        #expect(bytes("0::/a/b\n", files.merging(["/sys/fs/cgroup/a/b/memory.max": "300"]) { $1 }) == 300)
        #expect(bytes("0::/a\n", ["/sys/fs/cgroup/a/memory.high": "max\n"]) == 1000)
    }

    @Test("A limit of almost nothing is not read as no limit", arguments: [0, 3])
    func minimalLimit(limit: Int) {
        let budget = MemoryBudget(
            physical: 1000, groups: "0::/a\n", read: { _ in "\(limit)\n" })
        #expect(budget.share(oneIn: 4) == 1)
    }

    @Test("Control groups version 1 have a separate hierarchy for memory")
    func versionOne() {
        let files = ["/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "250\n"]
        #expect(bytes("5:cpu:/y\n4:hugetlb,memory:/docker/x\n", files) == 250)
        let unlimited = ["/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "9223372036854771712\n"]
        #expect(bytes("4:memory:/docker/x\n", unlimited) == 1000)
    }

    @Test("The current budget is not zero, and a cache made by name takes a quarter of it")
    func current() throws {
        let budget = MemoryBudget.current.bytes
        #expect(budget > 1 << 20)
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "budget", cacheDirectoryURL: folder.url)
        #expect(cache.memoryStorage.config.totalCostLimit == Int(clamping: budget / 4))
    }
}
