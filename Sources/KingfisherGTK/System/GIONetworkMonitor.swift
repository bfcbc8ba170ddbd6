import CGtk
public import Kingfisher
import Synchronization

extension NetworkMonitor {
    /// Learns from GIO's GNetworkMonitor whether the machine is online and whether the network is metered,
    /// now and whenever that changes.
    ///
    /// GIO knows it from the kernel's routes and from NetworkManager, or in a sandbox from the desktop's
    /// portal; where nothing tells, no network is metered. The first call waits for their answer; changes
    /// arrive in the main loop. Takes the place of any other source; further calls do nothing.
    @MainActor public func followGIO() {
        guard !(source is GIONetworkMonitor) else { return }
        source = GIONetworkMonitor()
    }
}

/// What GIO's network monitor says, for any thread to ask.
@MainActor final class GIONetworkMonitor: NetworkConditionSource {
    private let connections: [SignalConnection]
    private let readMetered: () -> Bool
    private let readAvailable: () -> Bool
    private let metered: Atomic<Bool>
    private let available: Atomic<Bool>
    private let followers = Mutex<[@Sendable () -> Void]>([])

    nonisolated var isMetered: Bool { metered.load(ordering: .relaxed) }
    nonisolated var isConnected: Bool { available.load(ordering: .relaxed) }

    /// Asks both closures at first and whenever GIO announces a change.
    init(
        readMetered: @escaping () -> Bool = {
            g_network_monitor_get_network_metered(g_network_monitor_get_default()) != 0
        },
        readAvailable: @escaping () -> Bool = {
            g_network_monitor_get_network_available(g_network_monitor_get_default()) != 0
        }
    ) {
        self.readMetered = readMetered
        self.readAvailable = readAvailable
        metered = Atomic(readMetered())
        available = Atomic(readAvailable())
        let monitor = UnsafeMutableRawPointer(g_network_monitor_get_default())
        connections = (0..<2).map { _ in SignalConnection(adopting: monitor.map { g_object_ref($0) }) }
        let this = Unmanaged.passUnretained(self).toOpaque()
        connections[0].connect(
            "notify::network-metered", to: unsafeBitCast(meteredChanged, to: GCallback.self), this)
        connections[1].connect("network-changed", to: unsafeBitCast(networkChanged, to: GCallback.self), this)
    }

    // On the main thread, for the sake of the connections.
    isolated deinit {}

    nonisolated func observeChanges(_ changed: @escaping @Sendable () -> Void) {
        followers.withLock { $0.append(changed) }
    }

    fileprivate func update() {
        metered.store(readMetered(), ordering: .relaxed)
        available.store(readAvailable(), ordering: .relaxed)
        for follower in followers.withLock({ $0 }) { follower() }
    }
}

private let meteredChanged:
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, gpointer?) -> Void = { _, _, data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated {
            Unmanaged<GIONetworkMonitor>.fromOpaque(data!).takeUnretainedValue().update()
        }
    }

private let networkChanged: @convention(c) (UnsafeMutableRawPointer?, gboolean, gpointer?) -> Void = {
    _, _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
        Unmanaged<GIONetworkMonitor>.fromOpaque(data!).takeUnretainedValue().update()
    }
}
