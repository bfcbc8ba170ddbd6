/// Processes all sources, some at a time; a failure does not stop the others.
struct EachSource {
    private let sources: [String]
    private let jobs: Int

    /// `jobs` is the number of sources at a time.
    init(_ sources: [String], jobs: Int = defaultJobs) {
        (self.sources, self.jobs) = (sources, jobs)
    }

    static let defaultJobs = 4
    static let maximumJobs = 64

    /// Calls `body` with the index and text of each source; `body` returns whether it succeeded.
    ///
    /// - Returns: the number of failures.
    func run(_ body: @escaping @Sendable (Int, String) async -> Bool) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            var failures = 0
            for (index, source) in sources.enumerated() {
                if index >= jobs, await group.next() == false { failures += 1 }
                group.addTask { await body(index, source) }
            }
            for await succeeded in group where !succeeded { failures += 1 }
            return failures
        }
    }
}
