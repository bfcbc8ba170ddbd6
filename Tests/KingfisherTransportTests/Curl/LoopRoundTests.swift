import Synchronization
import Testing

@testable import KingfisherTransport

@Suite struct LoopRoundTests {
    @Test(
        "Work on a loop's thread runs at the end of the round, elsewhere immediately"
    )
    func workRunsAtTheEndOfARound() {
        var done: [Int] = []
        LoopRound.whenOver { done.append(1) }
        #expect(done == [1])
        let round = LoopRound()
        round.enter()
        LoopRound.whenOver {
            done.append(2)
            LoopRound.whenOver { done.append(4) }
        }
        LoopRound.whenOver { done.append(3) }
        #expect(done == [1])
        round.end()
        #expect(done == [1, 2, 3, 4])
        LoopRound.whenOver { done.append(5) }
        round.leave()
        #expect(done == [1, 2, 3, 4, 5])
        LoopRound.whenOver { done.append(6) }
        #expect(done == [1, 2, 3, 4, 5, 6])
    }
}
