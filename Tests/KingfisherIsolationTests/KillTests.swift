import Foundation
import Glibc
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherIsolation

/// Decoders that are killed at random moments under load; 10,000 of them with KINGFISHER_SOAK.
@Suite("Isolation: killed decoders")
struct DecoderKillTests {
    private static let kills =
        ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 60 : 10_000

    private struct Counts {
        var (killed, good, failed) = (0, 0, 0)
        var wrong: [String] = []
    }

    @Test("Every call completes once, and memory, descriptors and processes stay flat")
    func kills() async throws {
        let pool = DecoderPool.of(Programs.decoder) { $0.maximumProcesses = 4 }
        let original = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        let size = try JPEGCodec().header(of: original).size
        _ = try pool.facts()
        let descriptors = ProcessFacts.openDescriptors
        let counts = Mutex(Counts())
        let killer = Thread {
            var generator = SeededGenerator(seed: 7)
            while counts.withLock({ $0.killed }) < Self.kills {
                // Random moments, on a thread of its own.
                usleep(.random(in: 0...15_000, using: &generator))
                for process in pool.processIdentifiers where Bool.random(using: &generator) {
                    kill(process, SIGKILL)
                    counts.withLock { $0.killed += 1 }
                }
            }
        }
        killer.start()
        var memory = 0
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var round = 0
            while counts.withLock({ $0.killed }) < Self.kills {
                round += 1
                // Other bytes each time: a file that made a decoder fail is refused.
                let data = original + Data("\(thread) \(round)".utf8)
                do throws(ImageCodecError) {
                    let pixels = try IsolatedCodec(JPEGCodec(), pool: pool).decode(data, minimumSize: nil)
                    if pixels.size == size {
                        counts.withLock { $0.good += 1 }
                    } else {
                        counts.withLock { $0.wrong.append("size") }
                    }
                } catch .decoderFailed(.crashed), .decoderFailed(.unavailable) {
                    counts.withLock { $0.failed += 1 }
                } catch {
                    counts.withLock { $0.wrong.append("\(error)") }
                }
            }
        }
        memory = ProcessFacts.residentBytes
        #expect(counts.withLock { $0.wrong } == [])
        #expect(counts.withLock { $0.good } > 0 && counts.withLock { $0.failed } > 0)
        pool.endIdleProcesses()
        #expect(pool.processIdentifiers.isEmpty)
        // Other tests may have started decoders since, which end after 30 idle seconds.
        #expect(await poll(upTo: .seconds(180)) { ProcessFacts.openDescriptors <= descriptors })
        #expect(memory < 1 << 30)
        let sums = counts.withLock { $0 }
        print("decoders killed \(sums.killed), images \(sums.good), failures \(sums.failed)")
    }
}
