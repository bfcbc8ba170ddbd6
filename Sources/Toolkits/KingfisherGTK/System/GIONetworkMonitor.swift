import CGtk
public import Kingfisher
import Synchronization

extension NetworkMonitor {
    /// Reads from GIO's GNetworkMonitor whether the machine is online and whether the network is metered, now
    /// and on each change.
    ///
    /// GIO uses the kernel's routes and NetworkManager, or the desktop portal in a sandbox. If neither is
    /// available, no network counts as metered. The first call waits for their answer; changes arrive in the
    /// main loop. Replaces any other source; further calls have no effect.
    @MainActor public func followGIO() {
        guard !(source is GIONetworkMonitor) else { return }
        source = GIONetworkMonitor()
    }
}

@MainActor final class GIONetworkMonitor: NetworkConditionSource {
    private let connections: [SignalConnection]
    private let readMetered: () -> Bool
    private let readAvailable: () -> Bool
    private let metered: Atomic<Bool>
    private let available: Atomic<Bool>
    private let observers = Mutex<[@Sendable () -> Void]>([])

    nonisolated var isMetered: Bool { metered.load(ordering: .relaxed) }
    nonisolated var isConnected: Bool { available.load(ordering: .relaxed) }

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

    // Isolated, as `SignalConnection` requires.
    isolated deinit {}

    nonisolated func observeChanges(_ changed: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(changed) }
    }

    fileprivate func update() {
        metered.store(readMetered(), ordering: .relaxed)
        available.store(readAvailable(), ordering: .relaxed)
        for observer in observers.withLock({ $0 }) { observer() }
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
