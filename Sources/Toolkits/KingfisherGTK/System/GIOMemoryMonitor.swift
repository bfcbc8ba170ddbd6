import CGtk
public import Kingfisher

extension MemoryPressure {
    /// Forwards the desktop's low-memory warnings to every responder: caches shrink, animations drop frames.
    ///
    /// The warnings come from GIO's GMemoryMonitor and arrive in the main loop. A system without a memory
    /// monitor sends none. Further calls have no effect.
    @MainActor public static func followGIO() {
        guard monitor == nil else { return }
        monitor = GIOMemoryMonitor { post($0) }
    }

    @MainActor private static var monitor: GIOMemoryMonitor?

    /// Maps a GMemoryMonitor warning level; nil below the lowest. GLib reserves the numbers between the named
    /// levels.
    init?(warningLevel: UInt32) {
        switch warningLevel {
        case ..<G_MEMORY_MONITOR_WARNING_LEVEL_LOW.rawValue: return nil
        case ..<G_MEMORY_MONITOR_WARNING_LEVEL_MEDIUM.rawValue: self = .low
        case ..<G_MEMORY_MONITOR_WARNING_LEVEL_CRITICAL.rawValue: self = .medium
        default: self = .critical
        }
    }
}

@MainActor final class GIOMemoryMonitor {
    private let connection: SignalConnection
    private let report: (MemoryPressure) -> Void

    init(report: @escaping (MemoryPressure) -> Void) {
        self.report = report
        let monitor = g_memory_monitor_dup_default()
        connection = SignalConnection(adopting: UnsafeMutableRawPointer(monitor))
        connection.connect(
            "low-memory-warning", to: unsafeBitCast(warned, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque())
    }

    // Isolated, as `SignalConnection` requires.
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
