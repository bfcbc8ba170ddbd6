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
    }

    enum Report: Sendable {
        case progress(Lists)
        case completion(Lists)
    }

    let sources: [Source]
    private(set) var isStarted = false
    private(set) var isStopped = false
    var isPaused = false
    private(set) var lists = Lists()
    private var firstUntaken = 0
    private var underWay: Set<Int> = []
    /// In the order in which sources ended. Determines the lists of each progress report.
    private var ends: [Outcome] = []
    private var reported = (skipped: 0, failed: 0, completed: 0)
    private var isCompletionReported = false

    init(_ sources: [Source]) {
        self.sources = sources
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
        note(outcome, of: sources[number])
    }

    mutating func stop() {
        guard !isOver else { return }
        isStopped = true
        if isStarted { failUntaken() }
    }

    private mutating func failUntaken() {
        while firstUntaken < sources.count {
            note(.failed, of: sources[firstUntaken])
            firstUntaken += 1
        }
    }

    private mutating func note(_ outcome: Outcome, of source: Source) {
        ends.append(outcome)
        switch outcome {
        case .skipped: lists.skipped.append(source)
        case .failed: lists.failed.append(source)
        case .completed: lists.completed.append(source)
        }
    }

    mutating func takeReport(withProgress: Bool) -> Report? {
        let count = reported.skipped + reported.failed + reported.completed
        if withProgress, count < ends.count {
            switch ends[count] {
            case .skipped: reported.skipped += 1
            case .failed: reported.failed += 1
            case .completed: reported.completed += 1
            }
            return .progress(reportedLists)
        }
        guard isOver, !isCompletionReported else { return nil }
        isCompletionReported = true
        return .completion(lists)
    }

    func hasReport(withProgress: Bool) -> Bool {
        let count = reported.skipped + reported.failed + reported.completed
        return withProgress && count < ends.count || isOver && !isCompletionReported
    }

    private var reportedLists: Lists {
        Lists(
            skipped: lists.skipped.first(reported.skipped), failed: lists.failed.first(reported.failed),
            completed: lists.completed.first(reported.completed))
    }
}

extension Array {
    /// The first `count` elements, without a copy if these are all.
    fileprivate func first(_ count: Int) -> [Element] {
        count == self.count ? self : Array(prefix(count))
    }
}
