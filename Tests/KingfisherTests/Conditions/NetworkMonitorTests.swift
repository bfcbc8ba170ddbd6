import Foundation
import Kingfisher
import Synchronization
import Testing

@Suite struct NetworkMonitorTests {
    @Test("Nothing is metered before a source says so; a source may change its mind and may go")
    func source() {
        let (monitor, network) = (NetworkMonitor(), StubNetwork())
        #expect(!monitor.isMetered)
        monitor.source = network
        #expect(!monitor.isMetered)
        network.meters(true)
        #expect(monitor.isMetered)
        monitor.source = nil
        #expect(!monitor.isMetered)
    }

    @Test("The process's own has no source by itself")
    func shared() async {
        await #expect(processExitsWith: .success) {
            #expect(NetworkMonitor.shared.source == nil)
            #expect(!NetworkMonitor.shared.isMetered)
        }
    }

    @Test("Eight threads set and ask; the old source is released outside the lock")
    func threads() async {
        final class Asking: NetworkConditionSource {
            let monitor: NetworkMonitor
            init(_ monitor: NetworkMonitor) { self.monitor = monitor }
            deinit { _ = monitor.isMetered }
            var isMetered: Bool { true }
        }
        let monitor = NetworkMonitor()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        monitor.source = Asking(monitor)
                        #expect(monitor.isMetered)
                    }
                }
            }
        }
        monitor.source = nil
    }
}

/// A network that a test meters.
final class StubNetwork: NetworkConditionSource {
    private let metered: Atomic<Bool>
    private let asked = Atomic(0)

    init(isMetered: Bool = false) { metered = Atomic(isMetered) }

    var isMetered: Bool {
        asked.wrappingAdd(1, ordering: .relaxed)
        return metered.load(ordering: .relaxed)
    }

    /// How often it was asked.
    var timesAsked: Int { asked.load(ordering: .relaxed) }

    func meters(_ isMetered: Bool) { metered.store(isMetered, ordering: .relaxed) }
}
