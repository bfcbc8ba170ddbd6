import CGLibMainHook
import CGtk
import Foundation
import Glibc
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import KingfisherGTK

extension GTKTests {
    /// Memory pressure and network state from GLib's monitors.
    @Suite @MainActor struct SystemTests {
        /// Emits `low-memory-warning` on `monitor`, as GIO does on low memory.
        private func warn(_ level: GMemoryMonitorWarningLevel, on monitor: OpaquePointer?) {
            var arguments = [GValue(), GValue()]
            g_value_init(&arguments[0], g_memory_monitor_get_type())
            g_value_set_object(&arguments[0], UnsafeMutableRawPointer(monitor))
            g_value_init(&arguments[1], g_memory_monitor_warning_level_get_type())
            g_value_set_enum(&arguments[1], gint(level.rawValue))
            g_signal_emitv(
                arguments, g_signal_lookup("low-memory-warning", g_memory_monitor_get_type()), 0, nil)
            g_value_unset(&arguments[0])
        }

        @Test("GLib's warning levels and the numbers between them map to memory pressures")
        func levels() {
            let table: [(UInt32, MemoryPressure?)] = [
                (0, nil), (49, nil), (50, .low), (99, .low), (100, .medium), (254, .medium), (255, .critical),
                (300, .critical),
            ]
            for (level, pressure) in table { #expect(MemoryPressure(warningLevel: level) == pressure) }
        }

        @Test("Warnings of GMemoryMonitor are delivered until the listener is released")
        func memoryWarnings() throws {
            let shared = try #require(g_memory_monitor_dup_default())
            defer { g_object_unref(UnsafeMutableRawPointer(shared)) }
            var seen: [MemoryPressure] = []
            do {
                let monitor = GIOMemoryMonitor { seen.append($0) }
                warn(G_MEMORY_MONITOR_WARNING_LEVEL_LOW, on: shared)
                warn(G_MEMORY_MONITOR_WARNING_LEVEL_CRITICAL, on: shared)
                withExtendedLifetime(monitor) {}
            }
            warn(G_MEMORY_MONITOR_WARNING_LEVEL_LOW, on: shared)
            #expect(seen == [.low, .critical])
        }

        @Test("After two calls of followGIO a memory warning is delivered once")
        func memoryFollowed() throws {
            final class Responder: MemoryPressureResponder {
                let levels = Mutex<[MemoryPressure]>([])
                func relieve(_ level: MemoryPressure) { levels.withLock { $0.append(level) } }
            }
            MemoryPressure.followGIO()
            MemoryPressure.followGIO()
            let responder = Responder()
            MemoryPressure.register(responder)
            let shared = try #require(g_memory_monitor_dup_default())
            defer { g_object_unref(UnsafeMutableRawPointer(shared)) }
            warn(G_MEMORY_MONITOR_WARNING_LEVEL_MEDIUM, on: shared)
            #expect(responder.levels.withLock { $0 } == [.medium])
        }

        @Test("isMetered follows the property of GIO after its next notification")
        func meteredNetwork() {
            var metered = false
            let source = GIONetworkMonitor { metered }
            #expect(!source.isMetered)
            metered = true
            #expect(!source.isMetered)
            let monitor = UnsafeMutableRawPointer(g_network_monitor_get_default())
            g_object_notify(monitor?.assumingMemoryBound(to: GObject.self), "network-metered")
            #expect(source.isMetered)
        }

        /// Emits `network-changed`, as GIO does when routes change.
        private func changeNetwork() {
            let monitor = UnsafeMutableRawPointer(g_network_monitor_get_default())
            var arguments = [GValue(), GValue()]
            g_value_init(&arguments[0], g_network_monitor_get_type())
            g_value_set_object(&arguments[0], monitor)
            g_value_init(&arguments[1], g_type_from_name("gboolean"))
            g_signal_emitv(
                arguments, g_signal_lookup("network-changed", g_network_monitor_get_type()), 0, nil)
            g_value_unset(&arguments[0])
        }

        @Test(
            "isConnected follows GIO after its next signal, and observers are called",
            .behaviours("R-5"))
        func connectivity() async {
            var available = false
            let source = GIONetworkMonitor(readMetered: { false }, readAvailable: { available })
            let monitor = NetworkMonitor()
            monitor.source = source
            #expect(!monitor.isConnected)
            let reported = Mutex<[Bool]>([])
            monitor.observeConnectivity(timeoutInterval: nil) { isConnected in
                reported.withLock { $0.append(isConnected) }
            }
            changeNetwork()
            available = true
            #expect(!monitor.isConnected)
            changeNetwork()
            #expect(monitor.isConnected)
            #expect(await GTK.wait { reported.withLock { $0 } == [true] })
            available = false
            changeNetwork()
            #expect(!monitor.isConnected)
        }

        @Test("followGIO installs one source, which other sources may replace")
        func networkFollowed() throws {
            let monitor = NetworkMonitor()
            monitor.followGIO()
            let first = try #require(monitor.source as? GIONetworkMonitor)
            monitor.followGIO()
            #expect(monitor.source as? GIONetworkMonitor === first)
            monitor.source = GIONetworkMonitor { true }
            #expect(monitor.isMetered)
            monitor.source = nil
            #expect(!monitor.isMetered)
        }

        /// As when a load reads the source while the program replaces it.
        @Test("A monitor whose last release is on another thread ends on the main thread, after its signal")
        func networkMonitorReleasedElsewhere() async {
            let end = Mutex<Bool?>(nil)
            final class Sentinel: Sendable {
                let atEnd: @Sendable () -> Void
                init(atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
                deinit { atEnd() }
            }
            var readings = 0
            func makeMonitor() -> Unmanaged<GIONetworkMonitor> {
                let sentinel = Sentinel { end.withLock { $0 = cglib_main_hook_is_main_thread() } }
                return .passRetained(
                    GIONetworkMonitor {
                        withExtendedLifetime(sentinel) { readings += 1 }
                        return false
                    })
            }
            let last = makeMonitor()
            let thread = Thread { last.release() }
            thread.start()
            // The main thread is blocked in the meantime.
            let deadline = ContinuousClock.now + .seconds(5 * ProcessStatus.slowness)
            while !thread.isFinished, ContinuousClock.now < deadline { sched_yield() }
            #expect(thread.isFinished && end.withLock { $0 } == nil)
            let monitor = UnsafeMutableRawPointer(g_network_monitor_get_default())
            g_object_notify(monitor?.assumingMemoryBound(to: GObject.self), "network-metered")
            #expect(readings == 2)
            #expect(await GTK.wait { end.withLock { $0 } == true })
            g_object_notify(monitor?.assumingMemoryBound(to: GObject.self), "network-metered")
            #expect(readings == 2)
        }
    }
}
