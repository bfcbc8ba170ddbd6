import CGtk
public import Kingfisher

extension MemoryPressure {
    /// Passes the desktop's warnings on to every responder: caches shrink, animations drop frames.
    ///
    /// They come from GIO's GMemoryMonitor and arrive in the main loop; on a system where nothing watches
    /// memory none ever comes. Further calls do nothing.
    @MainActor public static func followGIO() {
        guard monitor == nil else { return }
        monitor = GIOMemoryMonitor { post($0) }
    }

    @MainActor private static var monitor: GIOMemoryMonitor?

    /// The level that a warning of GMemoryMonitor stands for. GLib reserves the numbers between those it
    /// names; nil below the lowest.
    init?(warningLevel: UInt32) {
        switch warningLevel {
        case ..<G_MEMORY_MONITOR_WARNING_LEVEL_LOW.rawValue: return nil
        case ..<G_MEMORY_MONITOR_WARNING_LEVEL_MEDIUM.rawValue: self = .low
        case ..<G_MEMORY_MONITOR_WARNING_LEVEL_CRITICAL.rawValue: self = .medium
        default: self = .critical
        }
    }
}

/// Hears the warnings of GIO's memory monitor for as long as it lives.
@MainActor final class GIOMemoryMonitor {
    private let connection: SignalConnection
    private let report: (MemoryPressure) -> Void

    /// `report` is called on the main thread.
    init(report: @escaping (MemoryPressure) -> Void) {
        self.report = report
        let monitor = g_memory_monitor_dup_default()
        connection = SignalConnection(adopting: UnsafeMutableRawPointer(monitor))
        connection.connect(
            "low-memory-warning", to: unsafeBitCast(warned, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque())
    }

    // On the main thread, for the sake of the connection.
    isolated deinit {}

    fileprivate func warn(_ level: GMemoryMonitorWarningLevel) {
        if let level = MemoryPressure(warningLevel: level.rawValue) { report(level) }
    }
}

private let warned: @convention(c) (UnsafeMutableRawPointer?, GMemoryMonitorWarningLevel, gpointer?) -> Void =
    {
        _, level, data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated {
            Unmanaged<GIOMemoryMonitor>.fromOpaque(data!).takeUnretainedValue().warn(level)
        }
    }
