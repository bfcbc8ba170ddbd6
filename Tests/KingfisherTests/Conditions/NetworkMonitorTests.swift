import Foundation
import Kingfisher
import Synchronization
import Testing
import TestHelpers

@Suite struct NetworkMonitorTests {
    @Test("Without a source nothing is metered; the monitor follows changes and removal of its source")
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

    @Test("The shared monitor has no source by default")
    func shared() async {
        await #expect(processExitsWith: .success) {
            #expect(NetworkMonitor.shared.source == nil)
            #expect(!NetworkMonitor.shared.isMetered)
        }
    }

    @Test("With eight threads that set and read, the old source is released outside the lock")
    func threads() async {
        final class MonitorReader: NetworkConditionSource {
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
                        monitor.source = MonitorReader(monitor)
                        #expect(monitor.isMetered)
                    }
                }
            }
        }
        monitor.source = nil
    }
}

@Suite struct NetworkObserverTests {
    private let timer = ManualTimer()
    private let network = StubNetwork(isConnected: false)
    private let monitor: NetworkMonitor

    init() {
        monitor = NetworkMonitor(timer: timer)
        monitor.source = network
    }

    private typealias Reports = Inbox<(isConnected: Bool, onMain: Bool)>

    private func observe(_ timeout: TimeInterval? = nil) -> (observer: NetworkObserver, reports: Reports) {
        let reports = Reports()
        let observer = monitor.observeConnectivity(timeoutInterval: timeout) {
            reports.put(($0, MainQueue.isCurrent))
        }
        return (observer, reports)
    }

    @Test("A monitor without a source is online; it follows changes and removal of its source")
    func source() {
        #expect(NetworkMonitor().isConnected)
        #expect(!monitor.isConnected)
        network.connects(true)
        #expect(monitor.isConnected)
        network.connects(false)
        monitor.source = nil
        #expect(monitor.isConnected)
        struct MeteredOnly: NetworkConditionSource { let isMetered = true }
        monitor.source = MeteredOnly()
        #expect(monitor.isConnected && monitor.isMetered)
    }

    @Test(
        "An observer is called once, on main, when the network is back, even if it changes repeatedly",
        .behaviours("R-5"))
    func once() async throws {
        let (_, reports) = observe(10)
        #expect(monitor.waitingObservers == 1)
        for _ in 0..<3 {
            network.connects(true)
            network.connects(false)
        }
        #expect(try await reports.first() == (true, true))
        timer.advance(by: 20)
        await passMainQueue()
        #expect(reports.count == 1 && monitor.waitingObservers == 0)
    }

    @Test("A change without a connection is not reported; the timeout is, once, on main", .behaviours("R-5"))
    func timeout() async throws {
        let (_, reports) = observe(10)
        network.connects(false)
        timer.advance(by: 9)
        await passMainQueue()
        #expect(reports.count == 0)
        timer.advance(by: 1)
        #expect(try await reports.first() == (false, true))
        network.connects(true)
        await passMainQueue()
        #expect(reports.count == 1)
    }

    @Test("An observer that is already online is called once, on main, without a timer", .behaviours("R-5"))
    func alreadyOnline() async throws {
        network.connects(true)
        let (_, reports) = observe(10)
        #expect(try await reports.first() == (true, true))
        #expect(timer.waits.isEmpty && monitor.waitingObservers == 0)
    }

    @Test("A cancelled observer is not called for the network or the timeout", .behaviours("R-5"))
    func cancelled() async {
        let (observer, reports) = observe(10)
        observer.cancel()
        #expect(monitor.waitingObservers == 0)
        network.connects(true)
        timer.advance(by: 20)
        await passMainQueue()
        #expect(reports.count == 0)
    }

    @Test("An observer cancelled before its call reaches the main queue is not called", .behaviours("R-5"))
    func cancelledBeforeDelivery() async throws {
        let (observer, reports) = observe()
        let done = Inbox<Void>()
        DispatchQueue.main.async { [network] in
            // The main queue is occupied, so the call cannot precede the cancel.
            network.connects(true)
            observer.cancel()
            done.put()
        }
        try await done.first()
        await passMainQueue()
        #expect(reports.count == 0)
    }

    @Test(
        "Waiting observers are called if the source is removed or replaced by one that is online",
        .behaviours("R-5"),
        arguments: [true, false])
    func sourceRemoved(isReplaced: Bool) async throws {
        let (_, reports) = observe()
        monitor.source = isReplaced ? StubNetwork() : nil
        #expect(try await reports.first().isConnected)
    }

    @Test(
        "On eight threads that observe, cancel and change the network, each call is made once or cancelled",
        .behaviours("R-5"))
    func threads() async throws {
        let reports = Inbox<Int>()
        let cancelled = Inbox<Int>()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask { [monitor, network] in
                    for number in 0..<100 {
                        let id = thread * 100 + number
                        let observer = monitor.observeConnectivity(timeoutInterval: nil) { _ in
                            reports.put(id)
                        }
                        if number % 3 == 0 {
                            observer.cancel()
                            cancelled.put(id)
                        }
                        network.connects(number % 5 == 0)
                    }
                }
            }
        }
        network.connects(true)
        let remaining = Set(0..<800).subtracting(cancelled.values)
        _ = try await reports.first(remaining.count)
        await passMainQueue()
        #expect(reports.count == Set(reports.values).count && remaining.isSubset(of: reports.values))
        #expect(monitor.waitingObservers == 0)
    }

    @Test("A callback is released after its cancellation and after its call")
    func released() async throws {
        final class Token: Sendable {}
        weak var first: Token?
        weak var second: Token?
        let reports = Inbox<Void>()
        do {
            let (one, two) = (Token(), Token())
            (first, second) = (one, two)
            monitor.observeConnectivity(timeoutInterval: 10) { _ in withExtendedLifetime(one) {} }.cancel()
            monitor.observeConnectivity(timeoutInterval: 10) { _ in
                withExtendedLifetime(two) {}
                reports.put()
            }
        }
        #expect(first == nil && second != nil)
        network.connects(true)
        try await reports.first()
        await passMainQueue()
        #expect(second == nil)
    }
}

/// A network whose state a test sets.
final class StubNetwork: NetworkConditionSource {
    private let metered: Atomic<Bool>
    private let connected: Atomic<Bool>
    private let reads = Atomic(0)
    private let observers = Mutex<[@Sendable () -> Void]>([])

    init(isMetered: Bool = false, isConnected: Bool = true) {
        metered = Atomic(isMetered)
        connected = Atomic(isConnected)
    }

    var isMetered: Bool {
        reads.wrappingAdd(1, ordering: .relaxed)
        return metered.load(ordering: .relaxed)
    }

    var isConnected: Bool { connected.load(ordering: .relaxed) }

    func observeChanges(_ changed: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(changed) }
    }

    /// How often `isMetered` was read.
    var timesAsked: Int { reads.load(ordering: .relaxed) }

    func meters(_ isMetered: Bool) { metered.store(isMetered, ordering: .relaxed) }

    func connects(_ isConnected: Bool) {
        connected.store(isConnected, ordering: .relaxed)
        for observer in observers.withLock({ $0 }) { observer() }
    }
}
