import Synchronization
import Testing

@testable import KingfisherTransport

@Suite struct LoopRoundTests {
    @Test(
        "Work on a loop's thread runs at the end of the round, elsewhere immediately"
    )
    func workRunsAtTheEndOfARound() {
        var done: [Int] = []
        LoopIteration.whenOver { done.append(1) }
        #expect(done == [1])
        let round = LoopIteration()
        round.enter()
        LoopIteration.whenOver {
            done.append(2)
            LoopIteration.whenOver { done.append(4) }
        }
        LoopIteration.whenOver { done.append(3) }
        #expect(done == [1])
        round.end()
        #expect(done == [1, 2, 3, 4])
        LoopIteration.whenOver { done.append(5) }
        round.leave()
        #expect(done == [1, 2, 3, 4, 5])
        LoopIteration.whenOver { done.append(6) }
        #expect(done == [1, 2, 3, 4, 5, 6])
    }
}
