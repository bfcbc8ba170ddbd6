/// A link or a processor, which serves one transfer after the other. A value.
struct Pipe: Sendable {
    let bytesPerSecond: Double
    private(set) var free: Int64 = 0
    private(set) var bytes = 0

    init(bytesPerSecond: Double) { self.bytesPerSecond = bytesPerSecond }

    /// When a transfer that is ready at `time` is over, in nanoseconds.
    ///
    /// - Parameter fixed: Nanoseconds in addition to those for the bytes.
    mutating func transfer(_ count: Int, at time: Int64, fixed: Int64 = 0) -> Int64 {
        bytes += count
        free = max(free, time) + fixed + Int64(Double(count) / bytesPerSecond * 1e9)
        return free
    }
}
