/// Where a `NetworkMonitor` learns about the network.
public protocol NetworkConditionSource: Sendable {
    /// Whether the connection is metered now. Asked on any thread before a download; must answer at once.
    var isMetered: Bool { get }
    /// Whether the machine is online now; by default it always is. Asked on any thread; must answer at once.
    var isConnected: Bool { get }
    /// Has `changed` called, on any thread, whenever `isConnected` may have changed; by default it never
    /// does.
    ///
    /// Called once for each monitor that the source is given to. The closure does not hold the monitor.
    func observeChanges(_ changed: @escaping @Sendable () -> Void)
}

extension NetworkConditionSource {
    public var isConnected: Bool { true }

    public func observeChanges(_ changed: @escaping @Sendable () -> Void) {}
}
