import Testing

@testable import KingfisherTransport

@Suite struct LoopShareTests {
    @Test("A share is a number of pieces per round")
    func sharePerRound() {
        var share = LoopShare()
        for _ in 0..<LoopShare.maxPieces {
            let isTaken = share.take(16 << 10, in: 1)
            #expect(isTaken)
        }
        let isBeyond = share.take(1, in: 1)
        #expect(!isBeyond && share.restingTime == .zero)
        let isTaken = share.take(1, in: 2)
        #expect(isTaken && share.restingTime == LoopShare.rest, "one byte counts as a small piece")
    }

    @Test("Small pieces lead to a rest, decoded ones use more of the share")
    func smallAndDecodedPieces() {
        var share = LoopShare()
        var pieces = 0
        while share.take(LoopShare.smallPiece - 1, in: 1) { pieces += 1 }
        #expect(pieces == LoopShare.maxPieces && share.restingTime == LoopShare.rest)
        pieces = 0
        while share.take(16 << 10, in: 2, as: LoopShare.decodedPieces) { pieces += 1 }
        #expect(pieces == LoopShare.maxPieces / LoopShare.decodedPieces && share.restingTime == .zero)
    }
}
