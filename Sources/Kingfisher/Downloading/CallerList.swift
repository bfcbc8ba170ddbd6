/// The callers of one transfer by their tokens, which count up from 1.
///
/// Tokens are places in an array: nobody is searched for, and callers stand in the order they came.
struct CallerList<Caller: Sendable>: Sendable {
    /// nil for who has gone.
    private var places: [Caller?] = []
    /// Nobody waits before this place any more.
    private var start = 0
    /// How many callers wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Puts a caller last and returns its token.
    mutating func add(_ caller: Caller) -> Int {
        places.append(caller)
        count += 1
        return places.count
    }

    /// Takes a caller out; nil when it is not there (any more).
    mutating func remove(_ token: Int) -> Caller? {
        guard places.indices.contains(token - 1), let caller = places[token - 1].take() else { return nil }
        count -= 1
        return caller
    }

    /// Who came first of those that wait. Ten thousand callers wait for a picture that everybody prefetches: no
    /// place is looked at again once it is empty.
    mutating func first() -> (token: Int, caller: Caller)? {
        while start < places.count {
            if let caller = places[start] { return (start + 1, caller) }
            start += 1
        }
        return nil
    }

    /// Those that wait, in the order they came.
    var waiting: some Sequence<Caller> { places[start...].lazy.compactMap { $0 } }

    var tokens: [Int] { places.indices.filter { places[$0] != nil }.map { $0 + 1 } }
}
