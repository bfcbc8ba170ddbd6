import Foundation
import Kingfisher
import Synchronization
import Testing
import TestTraits

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

///
@Suite struct NetworkObserverTests {
    private let timer = ManualTimer()
    private let network = StubNetwork(isConnected: false)
    private let monitor: NetworkMonitor

    init() {
        monitor = NetworkMonitor(timer: timer)
        monitor.source = network
    }

    private typealias Told = Inbox<(isConnected: Bool, onMain: Bool)>

    private func observe(_ timeout: TimeInterval? = nil) -> (observer: NetworkObserver, told: Told) {
        let told = Told()
        let observer = monitor.observeConnectivity(timeoutInterval: timeout) {
            told.put(($0, MainQueue.isCurrent))
        }
        return (observer, told)
    }

    @Test("Online before a source says otherwise; a source may change its mind and may go")
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

    @Test("Told once, on main, when the network is back, however often it comes and goes", .behaviours("R-5"))
    func once() async throws {
        let (_, told) = observe(10)
        #expect(monitor.waitingObservers == 1)
        for _ in 0..<3 {
            network.connects(true)
            network.connects(false)
        }
        #expect(try await told.first() == (true, true))
        timer.advance(by: 20)
        await passMainQueue()
        #expect(told.count == 1 && monitor.waitingObservers == 0)
    }

    @Test("News without a connection tell nothing; the timeout tells so, once, on main", .behaviours("R-5"))
    func timeout() async throws {
        let (_, told) = observe(10)
        network.connects(false)
        timer.advance(by: 9)
        await passMainQueue()
        #expect(told.count == 0)
        timer.advance(by: 1)
        #expect(try await told.first() == (false, true))
        network.connects(true)
        await passMainQueue()
        #expect(told.count == 1)
    }

    @Test("Already online: told all the same, once, on main, without a timer", .behaviours("R-5"))
    func alreadyOnline() async throws {
        network.connects(true)
        let (_, told) = observe(10)
        #expect(try await told.first() == (true, true))
        #expect(timer.waits.isEmpty && monitor.waitingObservers == 0)
    }

    @Test("Cancelled: never told, neither of the network nor of the timeout", .behaviours("R-5"))
    func cancelled() async {
        let (observer, told) = observe(10)
        observer.cancel()
        #expect(monitor.waitingObservers == 0)
        network.connects(true)
        timer.advance(by: 20)
        await passMainQueue()
        #expect(told.count == 0)
    }

    @Test("Cancelled while the news is on its way to the main queue: never told", .behaviours("R-5"))
    func cancelledOnTheWay() async throws {
        let (observer, told) = observe()
        let done = Inbox<Void>()
        DispatchQueue.main.async { [network] in
            // Nothing else runs on the main queue meanwhile.
            network.connects(true)
            observer.cancel()
            done.put()
        }
        try await done.first()
        await passMainQueue()
        #expect(told.count == 0)
    }

    @Test(
        "A source that goes, or gives way to one that is online, tells those who wait", .behaviours("R-5"),
        arguments: [true, false])
    func sourceGoes(byAnother: Bool) async throws {
        let (_, told) = observe()
        monitor.source = byAnother ? StubNetwork() : nil
        #expect(try await told.first().isConnected)
    }

    @Test(
        "Eight threads observe, cancel and change the network: each is told once, or was cancelled",
        .behaviours("R-5"))
    func threads() async throws {
        let told = Inbox<Int>()
        let cancelled = Inbox<Int>()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask { [monitor, network] in
                    for number in 0..<100 {
                        let id = thread * 100 + number
                        let observer = monitor.observeConnectivity(timeoutInterval: nil) { _ in told.put(id) }
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
        let kept = Set(0..<800).subtracting(cancelled.values)
        _ = try await told.first(kept.count)
        await passMainQueue()
        #expect(told.count == Set(told.values).count && kept.isSubset(of: told.values))
        #expect(monitor.waitingObservers == 0)
    }

    @Test("A callback that is cancelled is let go of, and so is one that was told")
    func released() async throws {
        final class Token: Sendable {}
        weak var first: Token?
        weak var second: Token?
        let told = Inbox<Void>()
        do {
            let (one, two) = (Token(), Token())
            (first, second) = (one, two)
            monitor.observeConnectivity(timeoutInterval: 10) { _ in withExtendedLifetime(one) {} }.cancel()
            monitor.observeConnectivity(timeoutInterval: 10) { _ in
                withExtendedLifetime(two) {}
                told.put()
            }
        }
        #expect(first == nil && second != nil)
        network.connects(true)
        try await told.first()
        await passMainQueue()
        #expect(second == nil)
    }
}

/// A network that a test meters and cuts.
final class StubNetwork: NetworkConditionSource {
    private let metered: Atomic<Bool>
    private let connected: Atomic<Bool>
    private let asked = Atomic(0)
    private let followers = Mutex<[@Sendable () -> Void]>([])

    init(isMetered: Bool = false, isConnected: Bool = true) {
        metered = Atomic(isMetered)
        connected = Atomic(isConnected)
    }

    var isMetered: Bool {
        asked.wrappingAdd(1, ordering: .relaxed)
        return metered.load(ordering: .relaxed)
    }

    var isConnected: Bool { connected.load(ordering: .relaxed) }

    func observeChanges(_ changed: @escaping @Sendable () -> Void) {
        followers.withLock { $0.append(changed) }
    }

    /// How often it was asked whether it is metered.
    var timesAsked: Int { asked.load(ordering: .relaxed) }

    func meters(_ isMetered: Bool) { metered.store(isMetered, ordering: .relaxed) }

    func connects(_ isConnected: Bool) {
        connected.store(isConnected, ordering: .relaxed)
        for follower in followers.withLock({ $0 }) { follower() }
    }
}
