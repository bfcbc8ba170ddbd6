/// The slowest that a server may send while another transfer waits for the slot.
///
/// A transfer that nothing waits behind may be as slow as it likes, within the limits of time.
public struct MinimumRate: Sendable, Hashable {
    /// Bytes of the decoded body per second; 1 KiB by default.
    public var bytesPerSecond: Int
    /// The time over which the rate is an average, 5 seconds by default; a fifth of it where as many slow
    /// transfers to the host go on outside the slots as may. It includes looking the name up,
    /// connecting and waiting for the response; time during which the handler pauses the transfer does not
    /// count.
    public var window: Duration

    public init(bytesPerSecond: Int = 1 << 10, window: Duration = .seconds(5)) {
        self.bytesPerSecond = bytesPerSecond
        self.window = window
    }
}
