import Foundation
import KingfisherTransport
import Testing
import TestHelpers

@testable import Kingfisher

/// M-15, M-18 and M-19: the decisions without I/O.
@Suite struct FailoverPlanTests {
    private static func source(_ name: String) -> Source {
        .network(KF.ImageResource(downloadURL: URL(filePath: "/"), cacheKey: name))
    }

    private static let broken = KingfisherError.requestError(reason: .emptyRequest)
    private static let missing = KingfisherError.cacheError(reason: .imageNotExisting(key: "k"))

    /// Fails every source with its error in `errors`. Returns the sources in order, and the final step.
    private func run(
        _ alternatives: [String], lowData: String? = nil, errors: [KingfisherError]
    ) -> (sources: [String], end: KingfisherError?) {
        var plan = FailoverPlan(
            alternatives: alternatives.map(Self.source), lowDataSource: lowData.map(Self.source))
        var sources: [String] = []
        var current = Self.source("first")
        for error in errors {
            switch plan.step(after: PropagationError(source: current, error: error)) {
            case .load(let next):
                sources.append(next.cacheKey)
                current = next
            case .fail(let error):
                return (sources, error)
            case .consult:
                Issue.record("consulted without a strategy")
            }
        }
        return (sources, nil)
    }

    private func failures(_ error: KingfisherError?) -> [String]? {
        guard case .imageSettingError(.alternativeSourcesExhausted(let failures)) = error else { return nil }
        return failures.map { "\($0.source.cacheKey) \($0.error.reasonName)" }
    }

    @Test("Sources are tried in order; if all fail, the error lists each once, the original first")
    func order() {
        let (sources, end) = run(["a", "b"], errors: [Self.broken, Self.missing, Self.broken])
        #expect(sources == ["a", "b"])
        #expect(failures(end) == ["first emptyRequest", "a imageNotExisting", "b emptyRequest"])
    }

    @Test("A single source ends with its own error")
    func single() {
        let (sources, end) = run([], errors: [Self.missing])
        #expect(sources.isEmpty && end?.reasonName == "imageNotExisting")
    }

    @Test("A cancellation ends the plan immediately after any number of sources", arguments: [0, 1])
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
            let (sources, end) = run(["a", "b"], lowData: "low", errors: before + [error])
            #expect(sources.count == count && end?.reasonName == error.reasonName)
        }
    }

    @Test("A constrained failure tries the low-data source once, then the alternatives")
    func lowData() {
        let (sources, end) = run(
            ["a"], lowData: "low", errors: [.constrained, .constrained, .constrained])
        #expect(sources == ["low", "a"])
        #expect(
            failures(end) == ["first URLSessionError", "low URLSessionError", "a URLSessionError"])
    }

    @Test("A constrained alternative is followed by the low-data source, then the other alternatives")
    func lowDataLater() {
        let (sources, _) = run(
            ["a", "b"], lowData: "low", errors: [Self.broken, .constrained, Self.broken, Self.broken])
        #expect(sources == ["a", "low", "b"])
    }

    @Test("Other failures do not use the low-data source; without alternatives the error is returned")
    func lowDataUnused() {
        #expect(run(["a"], lowData: "low", errors: [Self.broken, Self.missing]).sources == ["a"])
        let (sources, end) = run([], lowData: "low", errors: [.constrained, Self.missing])
        #expect(sources == ["low"] && end?.reasonName == "imageNotExisting")
    }

    @Test(
        "A strategy is consulted except for cancellations and constrained failures with a low-data source",
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
        "After a stop the alternatives follow, and only stopped failures are listed", .behaviours("R-1")
    )
    func stop() {
        var plan = FailoverPlan(alternatives: [Self.source("a")], lowDataSource: nil, hasStrategy: true)
        let first = PropagationError(source: Self.source("first"), error: Self.missing)
        #expect(name(of: plan.step(after: first)) == "consult")
        #expect(name(of: plan.step(afterFinal: first)) == "a")
        let second = PropagationError(source: Self.source("a"), error: Self.broken)
        #expect(name(of: plan.step(after: second)) == "consult")
        guard case .fail(let error) = plan.step(afterFinal: second) else {
            Issue.record("expected a failure")
            return
        }
        #expect(failures(error) == ["first imageNotExisting", "a emptyRequest"])
    }

    @Test(
        "A restart allows all alternatives again and discards the failures",
        .behaviours("R-6"))
    func restart() {
        var plan = FailoverPlan(
            alternatives: [Self.source("a")], lowDataSource: Self.source("low"), hasStrategy: true)
        func step(_ name: String, _ error: KingfisherError) -> String {
            let failure = PropagationError(source: Self.source(name), error: error)
            let step = plan.step(after: failure)
            guard case .consult = step else { return self.name(of: step) }
            return self.name(of: plan.step(afterFinal: failure))
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
                afterFinal: .init(source: Self.source("x"), error: Self.broken))
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

    @Test("Eight threads take each alternative once", .behaviours("M-19"))
    func threads() async {
        let names = (0..<1_000).map { "\($0)" }
        let plan = Locked(
            FailoverPlan(alternatives: names.map(Self.source), lowDataSource: Self.source("low")))
        let sources = await withTaskGroup(of: [String].self) { group in
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
        #expect(sources.count == 1_001)
        #expect(Set(sources) == Set(names + ["low"]))
    }
}

extension KingfisherError {
    /// The error of a constrained network.
    fileprivate static var constrained: KingfisherError { .constrained(URL(filePath: "/")) }
}
