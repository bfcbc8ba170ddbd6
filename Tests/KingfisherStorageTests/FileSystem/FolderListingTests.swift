import Foundation
import Testing

@testable import KingfisherStorage

/// The kernel returns names in parts.
struct FolderListingTests {
    private func list(_ path: String) throws -> (names: [String], parts: Int) {
        let folder = try FileSystem().openFolder(path, followingLinks: true)
        var names: [String] = [], parts = 0
        // Twice, because an open folder is listed from its start each time.
        for _ in 0..<2 {
            (names, parts) = ([], 0)
            try FileSystem().forEachEntry(of: folder, pause: { parts += 1 }) { entry in
                names.append(String(cString: entry.name))
            }
        }
        return (names, parts)
    }

    @Test(arguments: [0, 1, 2_000]) func everyNameIsListedOnce(count: Int) throws {
        let world = try DiskWorld()
        let expected = (0..<count).map { world.name("\($0)").rawValue }
        for name in expected { makeFile(world.engine.directory + "/" + name, Data()) }
        let (names, parts) = try list(world.engine.directory)
        #expect(names.count == count)
        #expect(Set(names) == Set(expected))
        // Sixty-four digits each, three hundred in a part.
        #expect(count < 2_000 ? parts <= 1 : parts > 4)
    }

    @Test func kindsAndLongNames() throws {
        let world = try DiskWorld()
        let long = String(repeating: "n", count: 255)
        makeFile(world.engine.directory + "/" + long, Data())
        try FileManager.default.createDirectory(
            atPath: world.engine.directory + "/folder", withIntermediateDirectories: false)
        let folder = try FileSystem().openFolder(world.engine.directory, followingLinks: true)
        var folders: [String: Bool] = [:]
        try FileSystem().forEachEntry(of: folder) { folders[String(cString: $0.name)] = $0.isKnownFolder }
        #expect(folders == [long: false, "folder": true])
    }

    @Test func removingTheListedFolder() throws {
        let world = try DiskWorld()
        for number in 0..<1_500 { makeFile(world.engine.directory + "/\(number)", Data()) }
        try FileSystem().removeTree(world.engine.directory)
        #expect(!FileManager.default.fileExists(atPath: world.engine.directory))
    }

    @Test("A folder that is removed between two parts of its listing lists no more names")
    func removedDuringThePause() throws {
        let world = try DiskWorld()
        for number in 0..<400 {
            makeFile(world.engine.directory + "/" + world.name("\(number)").rawValue, Data())
        }
        let folder = try FileSystem().openFolder(world.engine.directory, followingLinks: true)
        var (names, parts) = (0, 0)
        try FileSystem().forEachEntry(
            of: folder,
            pause: {
                parts += 1
                try? FileManager.default.removeItem(atPath: world.engine.directory)
            }
        ) { _ in names += 1 }
        #expect(parts == 1 && names > 0 && names < 400)
    }

    /// A removal opens the folder, lists it and removes it.
    @Test(
        "A folder that another process removes at any moment counts as removed",
        arguments: [SystemCall.open, .list, .unlink], 1...3)
    func removedByAnother(call: SystemCall, count: Int) throws {
        let world = try DiskWorld()
        let folder = world.engine.directory + "/folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        makeFile(folder + "/file", Data())
        let calls = Counter()
        let system = FileSystem { made, _ in
            if made == call, calls.next() == count { try? FileManager.default.removeItem(atPath: folder) }
            return 0
        }
        try system.removeTree(folder)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
