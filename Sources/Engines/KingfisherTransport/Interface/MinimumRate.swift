/// The minimum speed of a transfer while another one waits for its slot.
///
/// It does not apply while nothing waits for the slot; time limits apply always.
public struct MinimumRate: Sendable, Hashable {
    /// Bytes of the decoded body per second; 1 KiB by default.
    public var bytesPerSecond: Int
    /// The time over which the speed is averaged, 5 seconds by default. It is a fifth of that if the host
    /// already has the maximum number of slow transfers without slots. It includes the name lookup,
    /// connecting and waiting for the response, but not the time during which the handler pauses the
    /// transfer.
    public var window: Duration

    public init(bytesPerSecond: Int = 1 << 10, window: Duration = .seconds(5)) {
        self.bytesPerSecond = bytesPerSecond
        self.window = window
    }
}
