/// Does something with every source, a few at a time; one that fails does not stop the others.
struct EachSource {
    private let sources: [String]
    private let concurrency = 4

    init(_ sources: [String]) {
        self.sources = sources
    }

    /// Calls `body` with each source and its place in the list; it says whether all went well.
    ///
    /// Returns how many did not.
    func run(_ body: @escaping @Sendable (Int, String) async -> Bool) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            var failures = 0
            for (index, source) in sources.enumerated() {
                if index >= concurrency, await group.next() == false { failures += 1 }
                group.addTask { await body(index, source) }
            }
            for await succeeded in group where !succeeded { failures += 1 }
            return failures
        }
    }
}
