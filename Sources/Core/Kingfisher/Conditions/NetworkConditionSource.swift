/// Provides the state of the network to a `NetworkMonitor`.
public protocol NetworkConditionSource: Sendable {
    /// Whether the connection is metered. Called on any thread before a download; must return immediately.
    var isMetered: Bool { get }
    /// Whether the machine is online; true by default. Called on any thread; must return immediately.
    var isConnected: Bool { get }
    /// Registers `changed`, to be called on any thread when `isConnected` may have changed; does nothing by
    /// default.
    ///
    /// Called once for each monitor that uses the source. The closure holds the monitor weakly.
    func observeChanges(_ changed: @escaping @Sendable () -> Void)
}

extension NetworkConditionSource {
    public var isConnected: Bool { true }

    public func observeChanges(_ changed: @escaping @Sendable () -> Void) {}
}
