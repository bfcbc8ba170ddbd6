/// The state of one prefetcher: the next source, the outcomes, and the reports to deliver.
///
/// A pure value. Each source ends once, with one of three outcomes. Reports, one progress for each source and
/// one completion, are in the order in which sources ended.
struct PrefetchLedger: Sendable {
    enum Outcome: Sendable {
        case skipped, failed, completed
    }

    struct Lists: Sendable {
        var skipped: [Source] = []
        var failed: [Source] = []
        var completed: [Source] = []

        var count: Int { skipped.count + failed.count + completed.count }

        fileprivate mutating func add(_ source: Source, _ outcome: Outcome) {
            switch outcome {
            case .skipped: skipped.append(source)
            case .failed: failed.append(source)
            case .completed: completed.append(source)
            }
        }
    }

    enum Report: Sendable {
        case progress(Lists)
        case completion(Lists)
    }

    let sources: [Source]
    private(set) var isStarted = false
    private(set) var isStopped = false
    var isPaused = false
    private var firstUntaken = 0
    private var underWay: Set<Int> = []
    /// In the order in which sources ended. Determines the lists of each progress report.
    private var ends: [(number: Int, outcome: Outcome)] = []
    /// The lists of the last progress report, which grow without a copy unless a handler holds them.
    private var reported = Lists()
    private var isCompletionReported = false

    init(_ sources: [Source]) {
        self.sources = sources
    }

    /// All sources that have ended.
    var lists: Lists {
        var lists = reported
        for end in ends.dropFirst(reported.count) { lists.add(sources[end.number], end.outcome) }
        return lists
    }

    var isOver: Bool { isStarted && ends.count == sources.count }

    mutating func start() {
        guard !isStarted else { return }
        isStarted = true
        if isStopped { failUntaken() }
    }

    /// The index of the next source to fetch; nil if no source is left, if `limit` are running, or during a
    /// pause. A limit below 1 counts as 1, so that every source ends.
    mutating func takeNext(limit: Int) -> Int? {
        guard isStarted, !isStopped, !isPaused, firstUntaken < sources.count,
            underWay.count < max(limit, 1)
        else { return nil }
        defer { firstUntaken += 1 }
        underWay.insert(firstUntaken)
        return firstUntaken
    }

    func isUnderWay(_ number: Int) -> Bool { underWay.contains(number) }

    mutating func end(_ number: Int, as outcome: Outcome) {
        guard underWay.remove(number) != nil else { return }
        ends.append((number, outcome))
    }

    mutating func stop() {
        guard !isOver else { return }
        isStopped = true
        if isStarted { failUntaken() }
    }

    private mutating func failUntaken() {
        while firstUntaken < sources.count {
            ends.append((firstUntaken, .failed))
            firstUntaken += 1
        }
    }

    mutating func takeReport(withProgress: Bool) -> Report? {
        if withProgress, reported.count < ends.count {
            let end = ends[reported.count]
            reported.add(sources[end.number], end.outcome)
            return .progress(reported)
        }
        guard isOver, !isCompletionReported else { return nil }
        isCompletionReported = true
        return .completion(lists)
    }

    func hasReport(withProgress: Bool) -> Bool {
        withProgress && reported.count < ends.count || isOver && !isCompletionReported
    }
}
