/// Timers by time, and by the order in which they were set if the time is the same. A value.
struct TimerHeap: Sendable {
    struct Timer: Sendable {
        let time: Int64
        let number: Int
        let action: @Sendable () -> Void

        func isBefore(_ other: Timer) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var timers: [Timer] = []
    private var count = 0

    mutating func insert(_ action: @escaping @Sendable () -> Void, at time: Int64) {
        timers.append(Timer(time: time, number: count, action: action))
        count += 1
        var index = timers.count - 1
        while index > 0, timers[index].isBefore(timers[(index - 1) / 2]) {
            timers.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes the first timer, unless it is later than `end`.
    mutating func removeFirst(until end: Int64) -> Timer? {
        guard let first = timers.first, first.time <= end else { return nil }
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < timers.count && timers[child].isBefore(timers[least]) {
                least = child
            }
            guard least != index else { return first }
            timers.swapAt(index, least)
            index = least
        }
    }
}
