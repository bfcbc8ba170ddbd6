import Foundation
import Synchronization
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct DiskConcurrencyTests {
    /// A payload that can be validated without other data: size and content follow from its first byte.
    private static func payload(_ version: UInt8) -> Data {
        Data(repeating: version, count: 500 + Int(version) * 2_000)
    }

    /// Readers and writers of the same keys, through two engines as in two processes: a stored key is
    /// never absent and never torn.
    @Test func readersSeeOnlyWholePayloads() throws {
        let world = try DiskWorld()
        let other = DiskEngine(directory: world.engine.directory, clock: world.clock)
        try other.prepare()
        for key in 0..<4 { try world.store(Self.payload(1), "\(key)") }
        let torn = Atomic(0)
        let absent = Atomic(0)
        let errors = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            let engine = thread % 2 == 0 ? world.engine : other
            var random = SeededGenerator(seed: UInt64(thread))
            for _ in 0..<150 {
                let name = world.name("\(Int.random(in: 0..<4, using: &random))")
                do {
                    if thread < 4 {
                        let version = UInt8.random(in: 1...200, using: &random)
                        try engine.store(Self.payload(version), for: name, expiration: .days(1))
                    } else if let data = try engine.data(for: name) {
                        if data != Self.payload(data[0]) { torn.wrappingAdd(1, ordering: .relaxed) }
                    } else {
                        absent.wrappingAdd(1, ordering: .relaxed)
                    }
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(torn.load(ordering: .relaxed) == 0)
        #expect(absent.load(ordering: .relaxed) == 0)
        #expect(errors.withLock { $0 } == [])
        #expect(world.names().count == 4)
        #expect(world.names(in: "cache.staging").isEmpty)
    }

    @Test func allOperationsRunConcurrently() throws {
        let world = try DiskWorld()
        let errors = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            var random = SeededGenerator(seed: UInt64(thread))
            for step in 0..<200 {
                let name = world.name("\(Int.random(in: 0..<20, using: &random))")
                do {
                    switch (step + thread) % 10 {
                    case 0..<4: try world.engine.store(Self.payload(3), for: name, expiration: .days(1))
                    case 4..<7:
                        let data = try world.engine.data(for: name)
                        #expect(data == nil || data == Self.payload(3))
                    case 7: try world.engine.remove(name)
                    case 8: _ = try world.engine.totalSize()
                    default:
                        if step % 40 == 0 { try world.engine.removeAll() }
                        _ = try world.engine.removeSizeExceeded(limit: 60_000)
                    }
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(errors.withLock { $0 } == [])
        try world.engine.removeAll()
        #expect(world.names().isEmpty)
        #expect(try world.engine.totalSize() == 0)
    }
}
