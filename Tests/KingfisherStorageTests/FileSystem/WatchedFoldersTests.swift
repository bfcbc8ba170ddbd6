import Dispatch
import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing
@testable import KingfisherStorage

@Suite struct WatchedFoldersTests {
    let folder = TestFolders.unused()
    let queue = DispatchQueue(label: "watches")
    let folders: WatchedFolders

    init() throws {
        folders = WatchedFolders(queue: queue)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A watched file and its reports.
    private struct Watched {
        let reports = Inbox<Void>()
        let watch: WatchedFolders.Watch?

        init(_ url: URL, by folders: WatchedFolders) {
            watch = folders.watch(Array(url.path.utf8)) { [reports] in reports.put() }
        }

        /// Waits for the report of the begin and `count` others.
        func reports(_ count: Int) async throws { _ = try await reports.first(count + 1) }
    }

    private func watch(_ name: String) -> Watched { Watched(folder.appending(path: name), by: folders) }

    private func write(_ name: String, in folder: URL? = nil) throws {
        try Data([1]).write(to: (folder ?? self.folder).appending(path: name))
    }

    private func rename(_ old: String, _ new: String) {
        #expect(Glibc.rename(folder.appending(path: old).path, folder.appending(path: new).path) == 0)
    }

    private func remove(_ url: URL) throws { try FileManager.default.removeItem(at: url) }

    /// Returns after all earlier events were handled.
    private func fence() async throws {
        let other = watch("fence")
        try await other.reports(0)
        try write("fence")
        try await other.reports(1)
    }

    @Test("A file is reported when it is closed after writing, not before, and only to its own watches")
    func closed() async throws {
        let (one, other) = (watch("a"), watch("b"))
        let file = open(folder.appending(path: "a").path, O_CREAT | O_WRONLY, 0o600)
        #expect(file >= 0 && Glibc.write(file, "x", 1) == 1)
        try await fence()
        #expect(one.reports.count == 1)
        #expect(close(file) == 0)
        try await one.reports(1)
        try await fence()
        #expect((one.reports.count, other.reports.count) == (2, 1))
    }

    @Test("A file that is renamed, linked or symbolically linked to the name is reported, a removed one not")
    func named() async throws {
        try write("other")
        let watched = watch("a")
        try await watched.reports(0)
        rename("other", "a")
        try await watched.reports(1)
        try write("other")
        #expect(unlink(folder.appending(path: "a").path) == 0)
        #expect(link(folder.appending(path: "other").path, folder.appending(path: "a").path) == 0)
        try await watched.reports(2)
        #expect(unlink(folder.appending(path: "a").path) == 0)
        #expect(symlink("other", folder.appending(path: "a").path) == 0)
        try await watched.reports(3)
        #expect(unlink(folder.appending(path: "a").path) == 0)
        try await fence()
        #expect(watched.reports.count == 4)
    }

    @Test("A folder that is removed and made again is watched again, with what it has by then")
    func removedFolder() async throws {
        let inner = folder.appending(path: "x/y/z")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let watched = Watched(inner.appending(path: "a"), by: folders)
        try await watched.reports(0)
        for round in 0..<20 {
            let count = watched.reports.count
            try remove(folder.appending(path: "x"))
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try write("a", in: inner)
            #expect(await poll { watched.reports.count > count })
            // The folder itself is watched again once its making was handled.
            try await fence()
            let made = watched.reports.count
            try write("a", in: inner)
            #expect(await poll { watched.reports.count > made }, "round \(round)")
        }
        #expect(folders.watchedCount == 1)
    }

    @Test("A folder that is replaced by another one is watched")
    func replacedFolder() async throws {
        for name in ["x", "new"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        let watched = Watched(folder.appending(path: "x/a"), by: folders)
        try await watched.reports(0)
        rename("x", "old")
        rename("new", "x")
        try await fence()
        let count = watched.reports.count
        try write("a", in: folder.appending(path: "old"))
        try await fence()
        #expect(watched.reports.count == count)
        try write("a", in: folder.appending(path: "x"))
        try await watched.reports(count)
    }

    @Test("10,000 files of a folder have one watch, which ends with the last of them")
    func manyFiles() async throws {
        var all = (0..<10_000).map { watch("\($0)") }
        try await all[9_999].reports(0)
        #expect(folders.watchedCount == 1)
        try write("77")
        try await all[77].reports(1)
        #expect(all.count { $0.reports.count > 1 } == 1)
        all.removeFirst(9_999)
        queue.sync {}
        #expect(folders.watchedCount == 1)
        all = []
        queue.sync {}
        #expect(folders.watchedCount == 0)
    }

    @Test("Without room for a watch nothing is reported; a later watch of the folder serves all its files")
    func refused() async throws {
        let isFull = Mutex(true)
        let folders = WatchedFolders(
            queue: queue,
            fileSystem: FileSystem { call, _ in
                call == .watch && isFull.withLock { $0 } ? ENOSPC : 0
            })
        let first = Watched(folder.appending(path: "a"), by: folders)
        try await first.reports(0)
        try write("a")
        #expect(folders.watchedCount == 0)
        isFull.withLock { $0 = false }
        let second = Watched(folder.appending(path: "b"), by: folders)
        try await second.reports(0)
        #expect(folders.watchedCount == 1 && first.reports.count == 1)
        try write("a")
        try await first.reports(1)
    }

    @Test("A folder on a network file system is not watched")
    func remote() async throws {
        let folders = WatchedFolders(queue: queue, isRemote: { _ in true })
        let watched = Watched(folder.appending(path: "a"), by: folders)
        try await watched.reports(0)
        #expect(folders.watchedCount == 0)
    }

    @Test("If events are lost, every file is reported, and the folders are still watched")
    func overflow() async throws {
        let watched = watch("a")
        let inner = folder.appending(path: "x")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let other = Watched(inner.appending(path: "a"), by: folders)
        try await watched.reports(0)
        try await other.reports(0)
        let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        try #require(limit <= 1 << 17)
        queue.suspend()
        for number in 0...limit {
            // Equal events in a row count as one.
            let file = open(folder.appending(path: "n\(number & 1)").path, O_CREAT | O_WRONLY, 0o600)
            #expect(close(file) == 0)
        }
        try remove(inner)
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        queue.resume()
        try await watched.reports(1)
        try await other.reports(1)
        try await fence()
        let count = other.reports.count
        try write("a", in: inner)
        try await other.reports(count)
    }

    @Test("Watches begin and end on many threads, and those that are left report")
    func race() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<300 {
                        let name = "\((task + round) % 3)/\(round % 5)"
                        let watched = watch(name)
                        if round % 50 == 49 { try await watched.reports(0) }
                    }
                }
            }
            for round in 0..<60 {
                let inner = folder.appending(path: "\(round % 3)")
                try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
                try write("\(round % 5)", in: inner)
                try remove(inner)
            }
            try await group.waitForAll()
        }
        let last = watch("1/1")
        try await last.reports(0)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "1"), withIntermediateDirectories: true)
        try write("1", in: folder.appending(path: "1"))
        try await last.reports(1)
        withExtendedLifetime(last) {}
    }

    @Test(
        "The root, a relative path and a folder's path with a slash are no files",
        arguments: ["/", "a", "/a/"])
    func noFile(path: String) {
        #expect(folders.watch(Array(path.utf8)) {} == nil)
    }
}
