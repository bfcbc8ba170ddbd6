import Foundation
import Glibc
import KingfisherFormats
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// Real processes: their lock-down, reuse, replacement and end.
@Suite("Isolation: processes", .serialized)
struct PoolTests {
    private func codec(_ pool: DecoderPool) -> IsolatedCodec { IsolatedCodec(JPEGCodec(), pool: pool) }

    private func jpeg() throws -> Data { try Fixtures.data(named: "Photos/chelsea-eyes.jpg") }

    private func isRunning(_ process: Int32) -> Bool { kill(process, 0) == 0 }

    private func status(_ process: Int32, _ field: String) -> String? {
        let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return text?.split(separator: "\n").first { $0.hasPrefix(field + ":") }
            .map { $0.dropFirst(field.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    @Test(
        "The required measures are in force, and the kernel says so", .enabled(if: !ProcessStatus.isSanitized)
    )
    func lockDown() throws {
        let pool = DecoderPool.of(Programs.decoder)
        let report = try pool.report()
        #expect(report.lockDown.isSuperset(of: [.systemCalls, .resourceLimits, .noNewPrivileges]))
        #expect(
            report.formats
                == FormatCatalog.codecs.filter { $0.access == .nothing }.map(\.format.name))
        let process = try #require(pool.processIdentifiers.first)
        #expect(status(process, "Seccomp") == "2")
        #expect(status(process, "NoNewPrivs") == "1")
        #expect(status(process, "Threads") == "1")
        #expect(status(process, "CapEff") == "0000000000000000")
        if report.lockDown.contains(.identity) {
            #expect(status(process, "Uid")?.hasPrefix("65534\t65534") == true)
        }
        let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        for name in ["Max file size", "Max core file size", "Max processes", "Max open files"] {
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix(name) })
            #expect(line.dropFirst(name.count).split(separator: " ").prefix(2) == ["0", "0"], "\(line)")
        }
        // Only root may see the descriptors of a process that cannot be traced.
        guard geteuid() == 0 else { return }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
        #expect(descriptors.sorted() == ["0", "1", "2", "3", "4"])
    }

    @Test("A decoder without a required measure is refused, and accepted if the program says so")
    func requirement() throws {
        let impossible = LockDown(rawValue: 1 << 31)
        let strict = DecoderPool.of(Programs.decoder) { $0.requiredLockDown.insert(impossible) }
        let error = failure { () throws(ImageCodecError) in _ = try strict.report() }
        guard case .decoderFailed(.notLockedDown) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(strict.processIdentifiers.isEmpty)
        let lenient = DecoderPool.of(Programs.decoder) { $0.requiredLockDown = [] }
        #expect(try lenient.report().formats.contains("JPEG"))
    }

    @Test("A process is reused, replaced after its files, and ended when it is idle")
    func life() async throws {
        let pool = DecoderPool.of(Programs.decoder) {
            $0.maximumFiles = 3
            $0.idleTime = .milliseconds(500)
        }
        let data = try jpeg()
        var seen: Set<Int32> = []
        for number in 0..<6 {
            _ = try codec(pool).header(of: data + [UInt8(number)])
            seen.formUnion(pool.processIdentifiers)
        }
        #expect(seen.count == 2)
        #expect(pool.processIdentifiers.isEmpty)
        _ = try codec(pool).header(of: data)
        let last = try #require(pool.processIdentifiers.first)
        #expect(await poll(upTo: .seconds(10)) { pool.processIdentifiers.isEmpty && !isRunning(last) })
        #expect(seen.allSatisfy { !isRunning($0) })
    }

    @Test("An opened file is opened again if its process works for others or has ended")
    func reopening() async throws {
        let pool = DecoderPool.of(Programs.decoder)
        let (data, target) = (try jpeg(), DecodingTarget.exactly(PixelSize(width: 20, height: 10)))
        let expected = try JPEGCodec().open(EncodedFile(data)).decode(target)
        let decoders = try (UInt8(0)..<2).map { try codec(pool).open(EncodedFile(data + [$0])) }
        for decoder in decoders + decoders {
            #expect(same(try decoder.decode(target), expected))
            #expect(decoder.memory(for: target) > 0 && decoder.memory(for: .full) > 0)
        }
        let process = try #require(pool.processIdentifiers.first)
        kill(process, SIGKILL)
        #expect(await poll(upTo: .seconds(5)) { status(process, "State")?.hasPrefix("Z") ?? true })
        #expect(same(try decoders[0].decode(target), expected))
        #expect(pool.processIdentifiers.count == 1)
    }

    @Test("Memory above what is retained is released, except for the file")
    func trimming() throws {
        let (arena, end) = (try Arena(), Arena.retainedBytes + 100)
        try arena.grow(to: end)
        try arena.write([1, 2, 3], at: end - 3)
        arena.trim(keeping: end)
        #expect(try arena.bytes(at: end - 3, count: 3) == [1, 2, 3])
        arena.trim(keeping: 0)
        #expect(try arena.bytes(at: end - 3, count: 3) == [0, 0, 0])
    }

    @Test("A process that ended while it was idle is replaced without an error")
    func idleDeath() async throws {
        let pool = DecoderPool.of(Programs.decoder)
        let data = try jpeg()
        for _ in 0..<3 {
            _ = try codec(pool).header(of: data)
            let process = try #require(pool.processIdentifiers.first)
            kill(process, SIGKILL)
            #expect(await poll(upTo: .seconds(5)) { status(process, "State")?.hasPrefix("Z") ?? true })
        }
        #expect(try codec(pool).header(of: data).size.width > 0)
    }

    @Test("A pool that is released leaves no process and no descriptor")
    func release() async {
        // In a separate process: other tests open descriptors meanwhile.
        await #expect(processExitsWith: .success) {
            let data = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
            let before = try await Programs.settledDescriptors()
            var ended: [Int32] = []
            for _ in 0..<5 {
                let pool = DecoderPool.of(Programs.decoder)
                _ = try IsolatedCodec(JPEGCodec(), pool: pool).header(of: data)
                ended += pool.processIdentifiers
            }
            #expect(ended.count == 5)
            #expect(await poll { ended.allSatisfy { kill($0, 0) != 0 } })
            #expect(await poll { ProcessStatus.openDescriptors <= before })
        }
    }

    @Test("Memory of a large image is released after it")
    func arena() throws {
        let pool = DecoderPool.of(Programs.decoder)
        let large = try PixelBuffer(width: 6_000, height: 4_000, format: .rgba8Opaque) { rows, _ in
            rows.initializeMemory(as: UInt8.self, repeating: 255)
        }
        let file = try JPEGCodec().encode(large, options: ImageEncodingOptions(quality: 0.5))
        func sharedKilobytes() throws -> Int {
            let process = try #require(pool.processIdentifiers.first)
            let shared = status(process, "RssShmem")?.split(separator: " ").first.flatMap { Int($0) }
            return try #require(shared)
        }
        #expect(try codec(pool).header(of: file).size == large.size)
        // If the program is on a file system in memory, its pages count as well.
        let before = try sharedKilobytes()
        #expect(try codec(pool).decode(file, minimumSize: nil).size == large.size)
        // 64 MiB stay, of the 92 for the pixels.
        #expect(try sharedKilobytes() - before <= 72 << 10)
    }

    @Test("Concurrent calls share the processes, and every call gets its own result")
    func concurrency() throws {
        let pool = DecoderPool.of(Programs.decoder) { $0.maximumProcesses = 2 }
        let names = ["Photos/chelsea-eyes.jpg", "Photos/badge.png"]
        let files = try names.map { try Fixtures.data(named: $0) }
        let codecs: [any ImageCodec] = [JPEGCodec(), PNGCodec()]
        let sizes = try zip(codecs, files).map { try $0.header(of: $1).size }
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<25 {
                let index = (thread + round) % 2
                let codec = IsolatedCodec(codecs[index], pool: pool)
                let pixels = try? codec.decode(files[index], minimumSize: nil)
                if pixels?.size != sizes[index] { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
        #expect(pool.processIdentifiers.count <= 2)
    }
}
