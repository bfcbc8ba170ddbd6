import Testing

@testable import Kingfisher

@Suite struct CallerListTests {
    @Test("Callers stand in the order they came, whoever goes; no token is given twice")
    func order() {
        var list = CallerList<String>()
        let tokens = ["a", "b", "c", "d"].map { list.add($0) }
        #expect(tokens == [1, 2, 3, 4])
        let first = list.first()
        #expect(first?.token == 1 && first?.caller == "a")
        let removed = [2, 1, 2, 0, -1, 5].map { list.remove($0) }
        #expect(removed == ["b", "a", nil, nil, nil, nil])
        #expect(Array(list.waiting) == ["c", "d"] && list.tokens == [3, 4] && list.count == 2)
        let next = list.first()
        #expect(next?.token == 3 && next?.caller == "c")
        let last = list.add("e")
        #expect(last == 5 && Array(list.waiting) == ["c", "d", "e"])
        for token in 3...5 { _ = list.remove(token) }
        let none = list.first()
        #expect(none == nil && list.isEmpty && list.tokens == [])
        let late = list.add("f")
        #expect(late == 6 && list.first()?.token == 6)
    }
}
