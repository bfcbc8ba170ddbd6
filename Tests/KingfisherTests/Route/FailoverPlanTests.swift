import Foundation
import KingfisherTransport
import Testing
import TestTraits

@testable import Kingfisher

/// M-15, M-18 and M-19, the decisions alone.
@Suite struct FailoverPlanTests {
    private static func source(_ name: String) -> Source {
        .network(KF.ImageResource(downloadURL: URL(filePath: "/"), cacheKey: name))
    }

    private static let broken = KingfisherError.requestError(reason: .emptyRequest)
    private static let missing = KingfisherError.cacheError(reason: .imageNotExisting(key: "k"))

    /// Fails every source with its error of `errors`, and says what came of it: the sources handed out, then
    /// the end.
    private func run(
        _ alternatives: [String], lowData: String? = nil, errors: [KingfisherError]
    ) -> (handedOut: [String], end: KingfisherError?) {
        var plan = FailoverPlan(
            alternatives: alternatives.map(Self.source), lowDataSource: lowData.map(Self.source))
        var handedOut: [String] = []
        var current = Self.source("first")
        for error in errors {
            switch plan.step(after: PropagationError(source: current, error: error)) {
            case .load(let next):
                handedOut.append(next.cacheKey)
                current = next
            case .fail(let error):
                return (handedOut, error)
            case .consult:
                Issue.record("nobody to consult")
            }
        }
        return (handedOut, nil)
    }

    private func failures(_ error: KingfisherError?) -> [String]? {
        guard case .imageSettingError(.alternativeSourcesExhausted(let failures)) = error else { return nil }
        return failures.map { "\($0.source.cacheKey) \($0.error.reasonName)" }
    }

    @Test("In order; when all failed, one entry for each, the original first")
    func order() {
        let (handedOut, end) = run(["a", "b"], errors: [Self.broken, Self.missing, Self.broken])
        #expect(handedOut == ["a", "b"])
        #expect(failures(end) == ["first emptyRequest", "a imageNotExisting", "b emptyRequest"])
    }

    @Test("A single source ends with its own error")
    func single() {
        let (handedOut, end) = run([], errors: [Self.missing])
        #expect(handedOut.isEmpty && end?.reasonName == "imageNotExisting")
    }

    @Test("A cancellation ends at once with itself, however many were tried before", arguments: [0, 1])
    func cancellation(after count: Int) throws {
        let provider = RawImageDataProvider(data: Data(), cacheKey: "p")
        let cancellations: [KingfisherError] = [
            .requestError(
                reason: .taskCancelled(
                    task: .idle(try Bench()), token: 0)),
            .requestError(reason: .dataProviderCancelled(provider: provider)),
            .requestError(reason: .asyncTaskContextCancelled),
        ]
        for error in cancellations {
            let before = Array(repeating: Self.broken, count: count)
            let (handedOut, end) = run(["a", "b"], lowData: "low", errors: before + [error])
            #expect(handedOut.count == count && end?.reasonName == error.reasonName)
        }
    }

    @Test("Constrained: the low-data source first, once, then the alternatives")
    func lowData() {
        let (handedOut, end) = run(
            ["a"], lowData: "low", errors: [.constrained, .constrained, .constrained])
        #expect(handedOut == ["low", "a"])
        #expect(
            failures(end) == ["first URLSessionError", "low URLSessionError", "a URLSessionError"])
    }

    @Test("Constrained at an alternative: the low-data source comes next, then the rest")
    func lowDataLater() {
        let (handedOut, _) = run(
            ["a", "b"], lowData: "low", errors: [Self.broken, .constrained, Self.broken, Self.broken])
        #expect(handedOut == ["a", "low", "b"])
    }

    @Test("Failed for another reason: no low-data source; without alternatives its own error")
    func lowDataUnused() {
        #expect(run(["a"], lowData: "low", errors: [Self.broken, Self.missing]).handedOut == ["a"])
        let (handedOut, end) = run([], lowData: "low", errors: [.constrained, Self.missing])
        #expect(handedOut == ["low"] && end?.reasonName == "imageNotExisting")
    }

    @Test(
        "With a strategy every failure is a question, but a cancellation and a low-data source",
        .behaviours("R-1"))
    func consult() {
        var plan = FailoverPlan(
            alternatives: [Self.source("a")], lowDataSource: Self.source("low"), hasStrategy: true)
        func step(_ name: String, _ error: KingfisherError) -> String {
            self.name(of: plan.step(after: PropagationError(source: Self.source(name), error: error)))
        }
        #expect(step("first", Self.broken) == "consult")
        #expect(step("first", .constrained) == "low")
        #expect(step("low", .constrained) == "consult")
        #expect(step("low", .requestError(reason: .asyncTaskContextCancelled)) == "asyncTaskContextCancelled")
    }

    @Test(
        "A failure that stands goes on to the alternatives; only such failures are listed", .behaviours("R-1")
    )
    func standing() {
        var plan = FailoverPlan(alternatives: [Self.source("a")], lowDataSource: nil, hasStrategy: true)
        let first = PropagationError(source: Self.source("first"), error: Self.missing)
        #expect(name(of: plan.step(after: first)) == "consult")
        #expect(name(of: plan.step(afterStanding: first)) == "a")
        let second = PropagationError(source: Self.source("a"), error: Self.broken)
        #expect(name(of: plan.step(after: second)) == "consult")
        guard case .fail(let error) = plan.step(afterStanding: second) else {
            Issue.record("goes on")
            return
        }
        #expect(failures(error) == ["first imageNotExisting", "a emptyRequest"])
    }

    @Test(
        "Begun again, all that may stand in may do so once more, and failures are forgotten",
        .behaviours("R-6"))
    func restart() {
        var plan = FailoverPlan(
            alternatives: [Self.source("a")], lowDataSource: Self.source("low"), hasStrategy: true)
        func step(_ name: String, _ error: KingfisherError) -> String {
            let failure = PropagationError(source: Self.source(name), error: error)
            let step = plan.step(after: failure)
            guard case .consult = step else { return self.name(of: step) }
            return self.name(of: plan.step(afterStanding: failure))
        }
        for _ in 0..<3 {
            #expect(plan.hasLowDataSource)
            #expect(step("first", .constrained) == "low")
            #expect(!plan.hasLowDataSource)
            #expect(step("low", Self.broken) == "a")
            #expect(step("a", Self.broken) == "alternativeSourcesExhausted")
            plan.restart()
        }
        guard
            case .fail(let error) = plan.step(
                afterStanding: .init(source: Self.source("x"), error: Self.broken))
        else { return }
        #expect(failures(error)?.count == 1)
    }

    private func name(of step: FailoverPlan.Step) -> String {
        switch step {
        case .load(let source): source.cacheKey
        case .consult: "consult"
        case .fail(let error): error.reasonName
        }
    }

    @Test("Under eight threads each alternative is handed out once", .behaviours("M-19"))
    func threads() async {
        let names = (0..<1_000).map { "\($0)" }
        let plan = Locked(
            FailoverPlan(alternatives: names.map(Self.source), lowDataSource: Self.source("low")))
        let handedOut = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var mine: [String] = []
                    let failure = PropagationError(source: Self.source("x"), error: .constrained)
                    while case .load(let source) = plan.withLock({ $0.step(after: failure) }) {
                        mine.append(source.cacheKey)
                    }
                    return mine
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(handedOut.count == 1_001)
        #expect(Set(handedOut) == Set(names + ["low"]))
    }
}

extension KingfisherError {
    /// A refusal for the network's sake, of no matter which URL.
    fileprivate static var constrained: KingfisherError { .constrained(URL(filePath: "/")) }
}
