import Foundation
import Glibc
import Testing

@testable import CacheWorker

/// Faults that need a separate process: resource limits, and real file systems that are small, read-only or
/// without attributes, mounted in a namespace that ends with it. `DiskFaultTests` injects the same faults.
struct StarvedProcessTests {
    /// A folder to mount on, removed at the end.
    private struct Place: ~Copyable {
        let path: String

        init() throws {
            path =
                FileManager.default.temporaryDirectory.appending(
                    path: "kingfisher-fault-\(UUID().uuidString)"
                ).path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Containers and hardened kernels may forbid mounts.
    private static let mayMount: Bool = {
        guard let place = try? Place(),
            let worker = try? Worker(
                ["store"], after: "mount -t tmpfs -o size=1M none \"$0\"", at: place.path)
        else { return false }
        return worker.succeeded
    }()

    @Test func missingDescriptorsFailWithAnError() throws {
        let place = try Place()
        let worker = try Worker("few-descriptors", on: place.path + "/cache")
        #expect(
            worker.lines() == [
                "short: cannotLoad \(EMFILE), cannotCreateFile \(EMFILE), cached",
                "then: whole, ok, whole",
            ])
    }

    @Test(.enabled(if: mayMount, "needs mounts in a separate namespace"))
    func fullDiskLeavesNoTornFiles() throws {
        let place = try Place()
        let worker = try Worker(["fill-up"], after: "mount -t tmpfs -o size=1M none \"$0\"", at: place.path)
        #expect(
            worker.lines() == [
                "full: cannotCreateFile \(ENOSPC)",
                "stored: true, damaged 0, staged 0",
                "served: true",
                "after removals: ok, whole",
                "at the end: damaged 0, staged 0",
            ])
    }

    @Test(.enabled(if: mayMount, "needs mounts in a separate namespace"))
    func readOnlyFileSystemServesReads() throws {
        let place = try Place()
        let worker = try Worker(
            ["store", "mount -o remount,bind,ro \"$0\"", "read-only"],
            after: "mount -t tmpfs -o size=1M none \"$0\"", at: place.path)
        #expect(
            worker.lines() == [
                "reads: whole, cached",
                "writes: cannotCreateFile \(EROFS), cannotRemove \(EROFS)",
                "sweeps: cannotRemove \(EROFS)",
                "sizes: ok",
                "still reads: whole",
            ])
    }

    /// ramfs has no extended attributes on any kernel.
    @Test(.enabled(if: mayMount, "needs mounts in a separate namespace"))
    func fileSystemWithoutAttributesLosesOnlyTheChecksum() throws {
        let place = try Place()
        let worker = try Worker(["no-attributes"], after: "mount -t ramfs none \"$0\"", at: place.path)
        #expect(
            worker.lines() == [
                "reads: whole, cached",
                "overwrites: ok, whole",
                "expires: ok, miss, not cached",
            ])
    }
}
