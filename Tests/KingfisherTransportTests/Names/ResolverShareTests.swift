import Dispatch
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherTransport

/// Lookups of names whose name server is silent.
@Suite struct ResolverShareTests {
    /// A resolver whose lookups of names with "dead" in them wait for `release`.
    private final class Rig: Sendable {
        let begun = Atomic(0)
        private let gate = DispatchSemaphore(value: 0)  // blocks threads of the resolver, never a test's

        func resolver(threads: Int) -> SystemResolver {
            SystemResolver(maxWorkers: threads) { [self] host in
                guard host.contains("dead") else { return .success(loopback) }
                begun.add(1, ordering: .relaxed)
                gate.wait()
                return .failure(.resolve(host))
            }
        }

        func release(_ count: Int) { for _ in 0..<count { gate.signal() } }
    }

    @Test(
        "Silent name servers of some zones do not stop lookups in others",
        arguments: [
            (["dead1.test", "dead2.test", "dead3.test"], 5),
            (["dead.co.uk", "dead.com.au"], 4),
        ] as [([String], Int)])
    func silentZones(zones: [String], stuck: Int) async throws {
        let rig = Rig()
        let resolver = rig.resolver(threads: 8)
        let failed = Atomic(0)
        for zone in zones {
            for number in 0..<20 {
                resolver.resolve("\(number).\(zone)") { _ in failed.add(1, ordering: .relaxed) }
            }
        }
        #expect(await poll { rig.begun.load(ordering: .relaxed) == stuck })
        for name in ["a.test", "b.co.uk", "c.com.au", "d"] {
            let found = await withCheckedContinuation { done in
                resolver.resolve(name) { done.resume(returning: $0) }
            }
            #expect((try? found.get()) == loopback, "\(name)")
        }
        #expect(rig.begun.load(ordering: .relaxed) == stuck && failed.load(ordering: .relaxed) == 0)
        rig.release(20 * zones.count)
        #expect(await poll { failed.load(ordering: .relaxed) == 20 * zones.count })
    }

    @Test("A quarter of the lookups that may wait are for one zone; more fail at once")
    func bound() async throws {
        let rig = Rig()
        let resolver = rig.resolver(threads: 4)
        let most = SystemResolver.maxWaiting / 4
        let failed = Atomic(0)
        resolver.resolve("first.dead.test") { _ in failed.add(1, ordering: .relaxed) }
        #expect(await poll { rig.begun.load(ordering: .relaxed) == 1 })
        for number in 0..<most {
            resolver.resolve("\(number).dead.test") { _ in failed.add(1, ordering: .relaxed) }
        }
        #expect(failed.load(ordering: .relaxed) == 0)
        let refusal = await withCheckedContinuation { done in
            resolver.resolve("last.dead.test") { done.resume(returning: $0) }
        }
        #expect(refusal == .failure(.resolve("last.dead.test: too many lookups wait")))
        rig.release(most + 1)
        #expect(await poll { failed.load(ordering: .relaxed) == most + 1 })
    }
}
