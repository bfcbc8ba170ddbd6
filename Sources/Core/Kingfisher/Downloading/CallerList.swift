/// The callers of one transfer, by token. Tokens count up from 1.
///
/// Callers are in order of arrival, so a token is found by binary search. Removed entries are compacted when
/// they are more than half of the list, so ten thousand callers of one image stay cheap.
struct CallerList<Caller: Sendable>: Sendable {
    private struct Place: Sendable {
        let token: Int
        /// Nil after removal.
        var caller: Caller?
    }

    private static var fewPlaces: Int { 32 }

    private var places: [Place] = []
    private var firstOccupied = 0
    private var lastToken = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var placeCount: Int { places.count }

    mutating func add(_ caller: Caller) -> Int {
        lastToken += 1
        places.append(Place(token: lastToken, caller: caller))
        count += 1
        return lastToken
    }

    mutating func remove(_ token: Int) -> Caller? {
        guard let index = index(of: token), let caller = places[index].caller.take() else { return nil }
        count -= 1
        while firstOccupied < places.count, places[firstOccupied].caller == nil { firstOccupied += 1 }
        // Amortised O(1): moves at most as many callers as were removed since the last compaction.
        if places.count > Self.fewPlaces, count <= places.count / 2 {
            places.removeAll { $0.caller == nil }
            firstOccupied = 0
        }
        return caller
    }

    func contains(_ token: Int) -> Bool { index(of: token).map { places[$0].caller != nil } ?? false }

    private func index(of token: Int) -> Int? {
        let index = firstIndex(after: token - 1)
        return index < places.count && places[index].token == token ? index : nil
    }

    /// The index of the first place, occupied or not, with a token above `token`.
    private func firstIndex(after token: Int) -> Int {
        var range = firstOccupied..<places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                places[middle].token <= token ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// The first caller with a token above `token`.
    func first(after token: Int) -> (token: Int, caller: Caller)? {
        for place in places[firstIndex(after: token)...] {
            if let caller = place.caller { return (place.token, caller) }
        }
        return nil
    }

    var first: (token: Int, caller: Caller)? {
        guard firstOccupied < places.count, let caller = places[firstOccupied].caller else { return nil }
        return (places[firstOccupied].token, caller)
    }

    // A closure: a lazy sequence stores a key path as an object, which takes 20,000 instructions to make.
    var waiting: some Sequence<Caller> { places[firstOccupied...].lazy.compactMap { $0.caller } }

    var tokens: [Int] { places[firstOccupied...].filter { $0.caller != nil }.map(\.token) }
}
