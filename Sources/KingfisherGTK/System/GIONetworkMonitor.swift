import CGtk
public import Kingfisher
import Synchronization

extension NetworkMonitor {
    /// Learns from GIO's GNetworkMonitor whether the network is metered, now and whenever that changes.
    ///
    /// GIO knows it from NetworkManager, or in a sandbox from the desktop's portal; where there is neither, no network
    /// is metered. The first call waits for their answer; changes arrive in the main loop. Takes the place of any
    /// other source; further calls do nothing.
    @MainActor public func followGIO() {
        guard !(source is GIONetworkMonitor) else { return }
        source = GIONetworkMonitor()
    }
}

/// What GIO's network monitor says, for any thread to ask.
@MainActor final class GIONetworkMonitor: NetworkConditionSource {
    private let connection: SignalConnection
    private let readMetered: () -> Bool
    private let metered: Atomic<Bool>

    nonisolated var isMetered: Bool { metered.load(ordering: .relaxed) }

    /// Asks `readMetered` at first and whenever GIO announces a change.
    init(
        readMetered: @escaping () -> Bool = {
            g_network_monitor_get_network_metered(g_network_monitor_get_default()) != 0
        }
    ) {
        self.readMetered = readMetered
        metered = Atomic(readMetered())
        let monitor = UnsafeMutableRawPointer(g_network_monitor_get_default())
        connection = SignalConnection(adopting: monitor.map { g_object_ref($0) })
        connection.connect(
            "notify::network-metered", to: unsafeBitCast(meteredChanged, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque())
    }

    // On the main thread, for the sake of the connection.
    isolated deinit {}

    fileprivate func update() {
        metered.store(readMetered(), ordering: .relaxed)
    }
}

private let meteredChanged:
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, gpointer?) -> Void = { _, _, data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated {
            Unmanaged<GIONetworkMonitor>.fromOpaque(data!).takeUnretainedValue().update()
        }
    }
