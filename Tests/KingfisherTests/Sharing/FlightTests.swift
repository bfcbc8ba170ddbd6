import Testing

@testable import Kingfisher

@Suite struct FlightTests {
    @Test("Members hear of the landing in the order they came; later ones are served when they join")
    func landing() {
        var flight = Flight<String, Int>()
        #expect(flight.join("b", seat: 2) == nil)
        #expect(flight.join("a", seat: 1) == nil)
        #expect(flight.waiting == ["a", "b"])
        #expect(flight.land(7) == ["a", "b"])
        #expect(flight.waiting.isEmpty)
        #expect(flight.join("c", seat: 3) == 7)
        #expect(flight.land(8).isEmpty)
        #expect(flight.outcome == 7)
    }

    @Test("Who left hears nothing; it is empty when the last has left, before the landing or after")
    func leaving() {
        var flight = Flight<String, Int>()
        _ = flight.join("a", seat: 1)
        _ = flight.join("b", seat: 2)
        #expect(flight.leave(1) == "a")
        #expect(flight.leave(1) == nil)
        #expect(!flight.isEmpty)
        #expect(flight.land(7) == ["b"])
        #expect(!flight.isEmpty)
        #expect(flight.leave(2) == nil)
        #expect(flight.isEmpty)
    }

    @Test("10,000 random steps: everybody is told once, or left before")
    func randomSteps() {
        for seed in 0..<100 as Range<UInt64> {
            var random = LinearCongruence(state: seed)
            var flight = Flight<Int, Int>()
            var (waiting, served, left): (Set<Int>, Set<Int>, Set<Int>) = ([], [], [])
            for seat in 0..<100 {
                switch random.next() % 8 {
                case 0 where seat > 20 && flight.outcome == nil:
                    let told = flight.land(seat)
                    #expect(told == waiting.sorted())
                    served.formUnion(told)
                    waiting = []
                case 1...3:
                    let leaver = Int(random.next() % 100)
                    #expect((flight.leave(leaver) != nil) == waiting.contains(leaver))
                    waiting.remove(leaver)
                    left.insert(leaver)
                default:
                    if flight.join(seat, seat: seat) == nil {
                        waiting.insert(seat)
                    } else {
                        served.insert(seat)
                    }
                    left.remove(seat)
                }
                #expect(flight.isEmpty == waiting.union(served).subtracting(left).isEmpty)
            }
        }
    }

    private struct LinearCongruence {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
