import Foundation
import Glibc
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// Decoders that are killed at random moments under load; 10,000 of them with KINGFISHER_SOAK.
@Suite("Isolation: killed decoders")
struct DecoderKillTests {
    @Test("Every call completes once, and memory, descriptors and processes stay flat")
    func kills() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let descriptors = try await Programs.settledDescriptors()
            let run = try KillRun(ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 60 : 10_000)
            Thread { run.kill() }.start()
            DispatchQueue.concurrentPerform(iterations: 4, execute: run.decode)
            let counts = run.counts
            #expect(counts.wrong == [])
            #expect(counts.good > 0 && counts.failed > 0)
            #expect(ProcessStatus.residentBytes < 1 << 30)
            run.pool.endIdleProcesses()
            #expect(run.pool.processIdentifiers.isEmpty)
            #expect(await poll { ProcessStatus.openDescriptors <= descriptors })
            print("decoders killed \(counts.killed), images \(counts.good), failures \(counts.failed)")
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
}

/// Calls of a pool whose processes are killed, until enough of them were.
private final class KillRun: Sendable {
    struct Counts {
        var (killed, good, failed) = (0, 0, 0)
        var wrong: [String] = []
    }

    let pool = DecoderPool.of(Programs.decoder) { $0.maximumProcesses = 4 }
    private let original: Data
    private let size: PixelSize
    private let enough: Int
    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    private var isRunning: Bool { state.withLock { $0.killed < enough } }

    init(_ enough: Int) throws {
        self.enough = enough
        original = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        size = try JPEGCodec().header(of: original).size
    }

    /// Kills processes at random moments.
    func kill() {
        var generator = SeededGenerator(seed: 7)
        while isRunning {
            usleep(.random(in: 0...15_000, using: &generator))
            for process in pool.processIdentifiers where Bool.random(using: &generator) {
                Glibc.kill(process, SIGKILL)
                state.withLock { $0.killed += 1 }
            }
        }
    }

    func decode(thread: Int) {
        var round = 0
        while isRunning {
            round += 1
            // Other bytes each time: a file that made a decoder fail is refused.
            let data = original + Data("\(thread) \(round)".utf8)
            do throws(ImageCodecError) {
                let pixels = try IsolatedCodec(JPEGCodec(), pool: pool).decode(data, minimumSize: nil)
                state.withLock { [size] in pixels.size == size ? ($0.good += 1) : $0.wrong.append("size") }
            } catch .decoderFailed(.crashed), .decoderFailed(.unavailable) {
                state.withLock { $0.failed += 1 }
            } catch {
                state.withLock { $0.wrong.append("\(error)") }
            }
        }
    }
}
