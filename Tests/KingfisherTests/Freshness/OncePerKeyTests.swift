import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// Work that is done once for all who come for it.
@Suite struct OncePerKeyTests {
    @Test(
        "The first of fifty does the work of a key; each hears of its end, once, and so does who comes later")
    func once() {
        let work = OncePerKey<String>()
        let (ends, works) = (Locked(0), Locked<[@Sendable () -> Void]>([]))
        for key in ["a", "b"] {
            for _ in 0..<50 {
                work.run(key, completion: { ends.withLock { $0 += 1 } }) { done in
                    works.withLock { $0.append(done) }
                }
            }
        }
        #expect(works.withLock { $0.count } == 2 && ends.withLock { $0 } == 0)
        for done in works.withLock({ $0 }) { done() }
        #expect(ends.withLock { $0 } == 100)
        work.run("a", completion: { ends.withLock { $0 += 1 } }) { _ in Issue.record("done twice") }
        #expect(ends.withLock { $0 } == 101)
    }
}
