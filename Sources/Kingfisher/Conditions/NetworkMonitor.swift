import Synchronization

/// Knows on which terms the machine is online, as far as somebody tells it. Safe from any thread.
///
/// Without a source it takes every network for free and unlimited. A program with a GLib main loop calls
/// `NetworkMonitor.shared.followGIO()` of `KingfisherGTK`; any other may set a source of its own.
public final class NetworkMonitor: Sendable {
    /// The monitor that loads ask.
    public static let shared = NetworkMonitor()

    private let current = Mutex<(any NetworkConditionSource)?>(nil)

    /// Makes a monitor without a source.
    public init() {}

    /// What the monitor asks; nil for none.
    public var source: (any NetworkConditionSource)? {
        get { current.withLock { $0 } }
        set {
            // Released outside the lock: it may be the last reference to something of the user's.
            let old = current.withLock { current in
                defer { current = newValue }
                return current
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Whether traffic costs money or counts against a limit, so that loads take their `lowDataMode` source.
    public var isMetered: Bool { source?.isMetered ?? false }
}

/// Where a `NetworkMonitor` learns about the network.
public protocol NetworkConditionSource: Sendable {
    /// Whether the connection is metered now. Asked on any thread before a download; must answer at once.
    var isMetered: Bool { get }
}
