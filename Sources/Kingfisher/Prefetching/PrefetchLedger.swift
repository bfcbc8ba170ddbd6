/// The bookkeeping of one prefetcher: which source is next, what became of those before, and what to tell of
/// it.
///
/// A pure value. Each source ends once, in one of three ways; the three always add up to all sources in the
/// end. What is told, one progress for each source and one completion, comes in the order in which sources
/// ended.
struct PrefetchLedger: Sendable {
    enum Outcome: Sendable {
        case skipped, failed, completed
    }

    /// The sources that have ended so far, each list in the order of their ends.
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
    private(set) var lists = Lists()
    private var firstUntaken = 0
    private var underWay: Set<Int> = []
    /// In the order of the ends; from these the lists of every earlier moment follow.
    private var ends: [Outcome] = []
    private var told = (skipped: 0, failed: 0, completed: 0)
    private var isCompletionTold = false

    init(_ sources: [Source]) {
        self.sources = sources
    }

    /// Whether every source has ended.
    var isOver: Bool { isStarted && ends.count == sources.count }

    /// Begins, once. What was stopped before has nothing left to take.
    mutating func start() {
        guard !isStarted else { return }
        isStarted = true
        if isStopped { failUntaken() }
    }

    /// The number of the next source to work on; nil when there is none, or `limit` are under way. A limit
    /// below 1 counts as 1: everything ends some time.
    mutating func takeNext(limit: Int) -> Int? {
        guard isStarted, !isStopped, firstUntaken < sources.count, underWay.count < max(limit, 1) else {
            return nil
        }
        defer { firstUntaken += 1 }
        underWay.insert(firstUntaken)
        return firstUntaken
    }

    /// Whether the source with this number was taken and has not ended.
    func isUnderWay(_ number: Int) -> Bool { underWay.contains(number) }

    /// Takes note of how a source that is under way ended.
    mutating func end(_ number: Int, as outcome: Outcome) {
        guard underWay.remove(number) != nil else { return }
        note(outcome, of: sources[number])
    }

    /// Hands no further source out: those that were not taken have failed.
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

    /// What to tell next; nil for nothing yet. Without `withProgress` only the completion is told.
    mutating func takeReport(withProgress: Bool) -> Report? {
        let count = told.skipped + told.failed + told.completed
        if withProgress, count < ends.count {
            switch ends[count] {
            case .skipped: told.skipped += 1
            case .failed: told.failed += 1
            case .completed: told.completed += 1
            }
            return .progress(listsTold)
        }
        guard isOver, !isCompletionTold else { return nil }
        isCompletionTold = true
        return .completion(lists)
    }

    /// Whether `takeReport` has something.
    func hasReport(withProgress: Bool) -> Bool {
        let count = told.skipped + told.failed + told.completed
        return withProgress && count < ends.count || isOver && !isCompletionTold
    }

    private var listsTold: Lists {
        Lists(
            skipped: lists.skipped.first(told.skipped), failed: lists.failed.first(told.failed),
            completed: lists.completed.first(told.completed))
    }
}

extension Array {
    /// The first `count` elements; the array itself, uncopied, when these are all.
    fileprivate func first(_ count: Int) -> [Element] {
        count == self.count ? self : Array(prefix(count))
    }
}
