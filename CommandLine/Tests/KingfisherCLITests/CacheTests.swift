import Foundation
import Glibc
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite("kingfisher cache")
struct CacheTests {
    private let tool = Tool()
    private let photo = Fixtures.url(named: "Photos/coffee.jpg").path
    private let badge = Fixtures.url(named: "Photos/badge.png").path

    private var folder: String { CacheFolder.path(in: tool.cache) }

    /// The storage that the tool opens.
    private func storage() throws -> DiskStorage.Backend<Data> {
        try DiskStorage.Backend(
            config: DiskStorage.Config(
                name: "kingfisher", sizeLimit: 0,
                directory: URL(filePath: tool.cache, directoryHint: .isDirectory)))
    }

    private func cache(_ arguments: String...) async throws -> Tool.Result {
        try await tool.run(["cache"] + arguments + ["--cache", tool.cache])
    }

    private func get(_ arguments: String...) async throws {
        let result = try await tool.run(
            ["get"] + arguments + ["-o", "out/", "--quiet", "--cache", tool.cache])
        #expect(result.status == 0)
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func expect(
        _ counts: [String: Int], in object: [String: any Sendable],
        at location: SourceLocation = #_sourceLocation
    ) {
        for (name, count) in counts {
            #expect(object[name] as? Int == count, "\(name)", sourceLocation: location)
        }
    }

    @Test("info, list, path and remove use the cache folder of get")
    func entryLifecycle() async throws {
        try await get(photo, badge)
        let info = try #require(try await cache("info", "--json").objects().first)
        #expect(info["folder"] as? String == folder)
        let sizes = try [photo, badge].map { try Data(contentsOf: URL(filePath: $0)).count }
        let bytes = sizes.reduce(0, +)
        expect(["entries": 2, "bytes": bytes, "limit": 1 << 30, "expired": 0, "foreign": 0], in: info)
        let newest = try #require(info["newestUse"] as? String)
        #expect(abs(try Date(newest, strategy: .iso8601).timeIntervalSinceNow) < 600)
        #expect(try #require(info["oldestUse"] as? String) <= newest)

        let listed = try await cache("list", "--json").objects()
        #expect(listed.map { $0["bytes"] as? Int }.compactMap(\.self).sorted() == sizes.sorted())
        for entry in listed {
            #expect(Set(entry.keys) == ["file", "bytes", "stored", "expires", "used", "expired"])
            #expect(entry["expired"] as? Bool == false)
        }

        let path = try await cache("path", photo)
        #expect(path.status == 0)
        let file = try #require(path.lines.first)
        #expect(try Data(contentsOf: URL(filePath: file)) == Data(contentsOf: URL(filePath: photo)))
        #expect(listed.contains { $0["file"] as? String == URL(filePath: file).lastPathComponent })

        let removed = try #require(try await cache("remove", photo, "--json").objects().first)
        #expect(removed["source"] as? String == photo && removed["removed"] as? String == file)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try names().count == 1)
        for command in ["path", "remove"] {
            let missing = try await cache(command, photo, badge, "--json")
            #expect(missing.status == 1)
            let objects = try missing.objects()
            #expect(objects.first?["error"] as? String == "notCached")
            #expect(objects.count == 2 && objects.last?["error"] == nil)
            #expect(missing.errors == "kingfisher: \(photo.forMessages): not cached\n")
        }
        #expect(try names() == [])
    }

    @Test(
        "Inspecting a cache neither creates nor removes files",
        arguments: [
            "info", "list", "verify",
        ])
    func inspecting(command: String) async throws {
        try await get(photo)
        let staging = folder + ".staging"
        try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: true)
        // The second name is that of an unfinished file.
        for name in ["notes", "1-2-3-4"] {
            #expect(FileManager.default.createFile(atPath: staging + "/" + name, contents: Data([1])))
        }
        #expect(try await cache(command).status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: staging).sorted() == ["1-2-3-4", "notes"])
        try FileManager.default.removeItem(atPath: staging)
        #expect(try await cache(command).status == 0)
        #expect(!FileManager.default.fileExists(atPath: staging))
    }

    @Test("A link or folder with the name of an entry is ignored by remove and path")
    func foreignInPlaceOfAnEntry() async throws {
        try await get(photo)
        let file = try #require(try await cache("path", photo).lines.first)
        let target = tool.folder.path("target")
        for makesLink in [true, false] {
            try FileManager.default.removeItem(atPath: file)
            if makesLink {
                try Data("target".utf8).write(to: URL(filePath: target))
                try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
            } else {
                try FileManager.default.createDirectory(
                    atPath: file + "/below", withIntermediateDirectories: true)
            }
            for command in ["remove", "path"] {
                let result = try await cache(command, photo, "--json")
                #expect(result.status == 1)
                #expect(try result.objects().first?["error"] as? String == "notCached")
            }
            #expect(try names() == [URL(filePath: file).lastPathComponent])
        }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "target")
    }

    @Test("A processed image is selected by its steps, still or animated")
    func steps() async throws {
        let cat = Fixtures.url(named: "Photos/cat.gif").path
        try await get(photo, "-p", "downsample:50x50")
        try await get(cat, "-p", "bw", "-f", "gif")
        #expect(try await cache("path", photo).status == 1)
        #expect(try await cache("path", photo, "-p", "downsample:51x50").status == 1)
        #expect(try await cache("path", photo, "-p", "downsample:50x50").status == 0)
        #expect(try await cache("remove", cat, "-p", "bw").status == 0)
        #expect(try await cache("remove", photo, "-p", "downsample:50x50").status == 0)
        #expect(try names() == [])
    }

    @Test("list prints columns, most recently used first")
    func columns() async throws {
        let storage = try storage()
        try storage.store(value: Data(count: 7), forKey: "old", expiration: .never)
        try storage.store(value: Data(count: 12_345), forKey: "new", expiration: .days(1))
        try age(storage, "old", by: 1_000)
        let result = try await cache("list")
        #expect(result.status == 0)
        #expect(result.lines.count == 3)
        let cells = result.lines.map { $0.split(separator: " ").map(String.init) }
        #expect(cells[0] == ["file", "bytes", "stored", "expires", "used"])
        #expect(
            cells[1][0] == storage.cacheFileURL(forKey: "new").lastPathComponent && cells[1][1] == "12345")
        #expect(cells[2][1] == "7" && cells[2][3] == "never")
        let info = try await cache("info").lines
        #expect(info.contains("entries     2, of which expired 0"))
        #expect(info.contains("bytes       12352 of at most 1073741824"))
    }

    /// Sets the last use of an entry to `seconds` earlier.
    private func age(_ storage: DiskStorage.Backend<Data>, _ key: String, by seconds: Double) throws {
        let entry = try #require(try storage.entries().first { $0.url == storage.cacheFileURL(forKey: key) })
        let used = timeval(tv_sec: Int(entry.lastAccess.timeIntervalSince1970 - seconds), tv_usec: 0)
        let expires = timeval(tv_sec: Int(entry.expiration.timeIntervalSince1970), tv_usec: 0)
        #expect(utimes(entry.url.path, [used, expires]) == 0)
    }

    /// Makes an entry expired.
    private func expire(_ storage: DiskStorage.Backend<Data>, _ key: String) throws {
        let past = timeval(tv_sec: 1_000_000, tv_usec: 0)
        #expect(utimes(storage.cacheFileURL(forKey: key).path, [past, past]) == 0)
    }

    @Test("clean removes expired entries, clear all entries; foreign files stay")
    func cleaning() async throws {
        let storage = try storage()
        for key in ["a", "b", "c"] { try storage.store(value: Data(count: 10), forKey: key) }
        try expire(storage, "b")
        try write("mine", "notes.txt")
        try FileManager.default.createDirectory(
            atPath: folder + "/album", withIntermediateDirectories: false)
        let target = tool.folder.path("target")
        try Data("target".utf8).write(to: URL(filePath: target))
        let link = storage.cacheFileURL(forKey: "link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target)

        let foreign = ["album", link.lastPathComponent, "notes.txt"]
        #expect(try await cache("info", "--json").objects().first?["expired"] as? Int == 1)
        let cleaned = try #require(try await cache("clean", "--json").objects().first)
        expect(["removed": 1, "bytes": 10, "entries": 2, "foreign": 3], in: cleaned)
        #expect(!storage.isCached(forKey: "b") && storage.isCached(forKey: "a"))
        let again = try await cache("clean")
        #expect(again.lines == ["\(folder): removed 0 entries (0 bytes), kept 2; ignored 3 foreign files"])

        let cleared = try await cache("clear")
        #expect(cleared.status == 0)
        #expect(cleared.lines == ["\(folder): removed 2 entries (20 bytes), kept 0; ignored 3 foreign files"])
        #expect(try names() == foreign.sorted())
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "target")
    }

    @Test("clean removes least recently used entries until half of the limit is left")
    func limit() async throws {
        let storage = try storage()
        for (number, key) in ["a", "b", "c"].enumerated() {
            try storage.store(value: Data(count: 10), forKey: key)
            // Sparse files use no disk space.
            #expect(truncate(storage.cacheFileURL(forKey: key).path, 400 << 20) == 0)
            let expires = timeval(tv_sec: time(nil) + 86_400, tv_usec: 0)
            let used = timeval(tv_sec: time(nil) - 100 + number, tv_usec: 0)
            #expect(utimes(storage.cacheFileURL(forKey: key).path, [used, expires]) == 0)
        }
        let cleaned = try #require(try await cache("clean", "--json").objects().first)
        #expect(cleaned["removed"] as? Int == 2)
        #expect(try storage.entries().map(\.url) == [storage.cacheFileURL(forKey: "c")])
        #expect(
            try ImageCache(name: "kingfisher", cacheDirectoryURL: tool.folder.url).diskStorage.config
                .sizeLimit
                == UInt(CacheFolder.limit))
    }

    /// Changes, truncates and empties entries, copies one without its attributes, and adds a foreign file.
    private func damage(_ storage: DiskStorage.Backend<Data>) throws {
        for (key, count) in [("flipped", 100), ("short", 99), ("empty", 0)] {
            let handle = try FileHandle(forUpdating: storage.cacheFileURL(forKey: key))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(repeating: 6, count: count))
            try handle.close()
        }
        let bare = storage.cacheFileURL(forKey: "bare")
        let bytes = try Data(contentsOf: bare)
        try FileManager.default.removeItem(at: bare)
        try bytes.write(to: bare)
        try write("mine", "notes.txt")
    }

    @Test("verify finds damaged, empty and foreign files; --repair removes damaged and empty ones only")
    func verify() async throws {
        let storage = try storage()
        for key in ["good", "flipped", "short", "empty"] {
            try storage.store(value: Data(repeating: 5, count: 100), forKey: key)
        }
        try storage.store(value: try Fixtures.data(named: "Photos/badge.png"), forKey: "bare")
        func file(_ key: String) -> String { storage.cacheFileURL(forKey: key).lastPathComponent }
        #expect(
            try await cache("verify").lines == [
                "5 entries: 5 ok, 0 without checksum, 0 damaged, 0 empty, 0 unreadable; 0 removed; 0 foreign names"
            ])
        try damage(storage)
        let found = try await cache("verify", "--json")
        #expect(found.status == 1)
        let objects = try found.objects()
        var states: [String: String] = [:]
        for object in objects.dropLast() {
            #expect(object["removed"] as? Bool == false)
            states[object["file"] as? String ?? ""] = object["state"] as? String
        }
        #expect(
            states == [
                file("flipped"): "damaged", file("short"): "damaged", file("empty"): "empty",
                "notes.txt": "foreign",
            ])
        let sum = try #require(objects.last)
        #expect(sum["folder"] as? String == folder)
        let counts = [
            "entries": 5, "ok": 1, "withoutChecksum": 1, "damaged": 2, "empty": 1, "unreadable": 0,
            "foreign": 1, "removed": 0,
        ]
        expect(counts, in: sum)

        let repaired = try await cache("verify", "--repair")
        #expect(repaired.status == 0)
        #expect(repaired.lines.contains("damaged, removed  \(file("flipped"))"))
        #expect(repaired.lines.last?.contains("3 removed; 1 foreign names") == true)
        #expect(try names() == [file("good"), file("bare"), "notes.txt"].sorted())
        #expect(try await cache("verify").status == 0)
    }

    @Test(
        "Without a cache, or with a file in its place, every command fails and creates nothing",
        arguments: [
            ["info"], ["list"], ["path", "a.png"], ["remove", "a.png"], ["clean"], ["clear"], ["verify"],
        ])
    func noCache(command: [String]) async throws {
        for (error, message) in [
            ("noCache", "the cache does not exist; kingfisher get creates it"),
            ("notAFolder", "it is not a folder"),
        ] {
            if error == "notAFolder" {
                try FileManager.default.createDirectory(
                    atPath: tool.cache, withIntermediateDirectories: false)
                try Data().write(to: URL(filePath: folder))
            }
            let result = try await tool.run(["cache"] + command + ["--json", "--cache", tool.cache])
            #expect(result.status == 1)
            let object = try #require(try result.objects().first)
            #expect(object["folder"] as? String == folder)
            #expect(object["error"] as? String == error)
            #expect(object["message"] as? String == message)
            #expect(result.errors == "kingfisher: \(folder.forMessages): \(message)\n")
            #expect(try tool.folder.names() == (error == "noCache" ? [] : ["cache"]))
        }
    }

    @Test("A folder that cannot be opened is an error with its reason")
    func unreadable() async throws {
        // A link to itself also fails for root, unlike missing permissions.
        try FileManager.default.createDirectory(atPath: tool.cache, withIntermediateDirectories: false)
        #expect(symlink(folder, folder) == 0)
        let result = try await cache("list", "--json")
        #expect(result.status == 1)
        let object = try #require(try result.objects().first)
        #expect(object["error"] as? String == "unreadableCache")
        let reason = String(cString: strerror(ELOOP))
        #expect(object["message"] as? String == "the folder cannot be read: \(reason)")
    }

    @Test("Without --cache the cache is in ")
    func home() async throws {
        let result = try await tool("cache", "info")
        #expect(result.status == 1)
        // A message may truncate the path if the temporary folder's path is long.
        #expect(result.errors.contains("/.cache/com.onevcat."))
        #expect(result.errors.hasSuffix(": the cache does not exist; kingfisher get creates it\n"))

        // get creates the cache that the other commands read.
        let source = Fixtures.url(named: "Photos/coffee.jpg").path
        let environment = ["XDG_CACHE_HOME": tool.cache]
        #expect(try await tool.run(["get", source, "-o", "a.jpg"], environment: environment).status == 0)
        #expect(tool.cachedFiles() == 1)
        let moved = try await tool.run(["cache", "info", "--json"], environment: environment)
        #expect(try moved.objects().first?["folder"] as? String == folder)
    }
}
