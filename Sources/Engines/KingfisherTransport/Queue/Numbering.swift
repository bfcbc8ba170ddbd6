/// Small numbers for keys, so that a key is hashed only once. Numbers of removed keys are reused.
struct Numbering<Key: Hashable & Sendable>: Sendable {
    private var numbers: [Key: Int] = [:]
    private var free: [Int] = []

    subscript(key: Key) -> Int? { numbers[key] }

    /// The number of a new key: one that was removed, or the number of keys.
    mutating func add(_ key: Key) -> Int {
        let number = free.popLast() ?? numbers.count
        numbers[key] = number
        return number
    }

    mutating func remove(_ key: Key) {
        if let number = numbers.removeValue(forKey: key) { free.append(number) }
    }
}

extension Array {
    /// Stores the value of a number that ``Numbering/add(_:)`` has returned.
    mutating func put(_ value: Element, at number: Int) {
        if number == count { append(value) } else { self[number] = value }
    }
}
