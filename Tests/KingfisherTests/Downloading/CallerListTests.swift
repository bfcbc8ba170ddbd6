import Testing

@testable import Kingfisher

@Suite struct CallerListTests {
    @Test("Callers keep their order when others leave, and tokens are never reused")
    func order() {
        var list = CallerList<String>()
        let tokens = ["a", "b", "c", "d"].map { list.add($0) }
        #expect(tokens == [1, 2, 3, 4])
        let first = list.first
        #expect(first?.token == 1 && first?.caller == "a")
        let removed = [2, 1, 2, 0, -1, 5].map { list.remove($0) }
        #expect(removed == ["b", "a", nil, nil, nil, nil])
        #expect(Array(list.waiting) == ["c", "d"] && list.tokens == [3, 4] && list.count == 2)
        let next = list.first
        #expect(next?.token == 3 && next?.caller == "c")
        let last = list.add("e")
        #expect(last == 5 && Array(list.waiting) == ["c", "d", "e"])
        for token in 3...5 { _ = list.remove(token) }
        let none = list.first
        #expect(none == nil && list.isEmpty && list.tokens == [])
        let late = list.add("f")
        #expect(late == 6 && list.first?.token == 6)
    }

    @Test(
        "Space of removed callers is reclaimed, whether they were first, last or in the middle",
        arguments: [0, 500, 999])
    func reclaimsSpace(staying: Int) {
        var list = CallerList<Int>()
        let tokens = (0..<1000).map { list.add($0) }
        #expect(list.placeCount == 1000)
        for (number, token) in tokens.enumerated() where number != staying {
            let removed = list.remove(token)
            #expect(removed == number)
            #expect(list.placeCount <= max(32, 2 * list.count))
        }
        #expect(list.tokens == [staying + 1] && Array(list.waiting) == [staying])
        for _ in 0..<1000 {
            let token = list.add(-1)
            #expect(list.first?.token == staying + 1)
            let removed = list.remove(token)
            #expect(removed == -1 && list.placeCount <= 33)
        }
        let last = list.remove(staying + 1)
        #expect(last == staying && list.isEmpty && list.first == nil)
        let next = list.add(0)
        #expect(next == 2001)
    }
}
