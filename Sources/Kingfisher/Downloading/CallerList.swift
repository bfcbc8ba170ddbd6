/// The callers of one transfer by their tokens, which count up from 1.
///
/// They stand in the order they came, so a token is found by halving. Ten thousand callers wait
/// for an image that everybody prefetches: the places of those that have gone are given back, and
/// no empty one is looked at twice.
struct CallerList<Caller: Sendable>: Sendable {
    private struct Place: Sendable {
        let token: Int
        /// nil for who has gone.
        var caller: Caller?
    }

    private static var fewPlaces: Int { 32 }

    private var places: [Place] = []
    /// The first place that is taken.
    private var start = 0
    private var lastToken = 0
    /// How many callers wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many places are kept, the empty ones included.
    var placeCount: Int { places.count }

    /// Puts a caller last and returns its token.
    mutating func add(_ caller: Caller) -> Int {
        lastToken += 1
        places.append(Place(token: lastToken, caller: caller))
        count += 1
        return lastToken
    }

    /// Takes a caller out; nil when it is not there (any more).
    mutating func remove(_ token: Int) -> Caller? {
        guard let index = index(of: token), let caller = places[index].caller.take() else { return nil }
        count -= 1
        while start < places.count, places[start].caller == nil { start += 1 }
        // Moves no more callers than have gone since the last time.
        if places.count > Self.fewPlaces, count <= places.count / 2 {
            places.removeAll { $0.caller == nil }
            start = 0
        }
        return caller
    }

    private func index(of token: Int) -> Int? {
        var range = start..<places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = places[middle].token
            if found == token { return middle }
            range = found < token ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// Who came first of those that wait.
    var first: (token: Int, caller: Caller)? {
        guard start < places.count, let caller = places[start].caller else { return nil }
        return (places[start].token, caller)
    }

    /// Those that wait, in the order they came.
    // A closure: a lazy sequence keeps a key path as an object, which takes 20,000 instructions to make.
    var waiting: some Sequence<Caller> { places[start...].lazy.compactMap { $0.caller } }

    var tokens: [Int] { places[start...].filter { $0.caller != nil }.map(\.token) }
}
