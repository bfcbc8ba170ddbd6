import Foundation
import Glibc
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite struct EditTests {
    private let tool = Tool()

    init() { Main.registerFormats() }

    private func path(_ name: String) -> String { tool.folder.path(name) }

    private func file(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

    private func copy(_ fixture: String, _ name: String) throws {
        try Fixtures.data(named: fixture).write(to: URL(filePath: path(name)))
    }

    private func copyCameras() throws -> [String] {
        let names = ["camera.jpg", "camera.png", "camera.webp"]
        for name in names { try copy("Metadata/\(name)", name) }
        return names
    }

    @Test func `--strip removes all metadata of several files but orientation and profile`() async throws {
        let names = try copyCameras()
        let result = try await tool.run(["edit", "--strip", "--json"] + names)
        #expect(result.status == 0 && result.errors == "")
        let objects = try result.objects().sorted { "\($0["file"] ?? "")" < "\($1["file"] ?? "")" }
        #expect(objects.map { $0["file"] as? String } == names)
        for (name, object) in zip(names, objects) {
            let (before, after) = (
                try ImageMetadata(of: Fixtures.data(named: "Metadata/\(name)")),
                try ImageMetadata(of: file(name))
            )
            #expect(after.exif?.make == nil && after.location == nil && after.xmp == nil && after.iptc == nil)
            #expect(after.orientation == before.orientation)
            #expect(after.colorProfileName == before.colorProfileName)
            #expect(object["changed"] as? Bool == true && object["output"] as? String == name)
            #expect(object["bytes"] as? Int == (try file(name).count))
            #expect(object["orientation"] as? String == "\(after.orientation)")
        }
        #expect(try tool.folder.names() == names)
        // Nothing is left to remove, so nothing is written.
        #expect(chmod(path("camera.jpg"), 0o400) == 0)
        let inode = path("camera.jpg").fileInode
        let again = try await tool("edit", "--strip", "camera.jpg", "--json")
        #expect(try again.objects().first?["changed"] as? Bool == false)
        #expect(path("camera.jpg").fileInode == inode)
    }

    @Test func `--no-location and --keep-copyright keep the rest, or the names`() async throws {
        let names = try copyCameras()
        #expect(try await tool.run(["edit", "--no-location"] + names).status == 0)
        for name in names {
            let metadata = try ImageMetadata(of: file(name))
            #expect(metadata.location == nil && metadata.exif?.make == "Kingfisher")
            #expect(metadata.xmp.map { String(decoding: $0, as: UTF8.self).contains("GPSLatitude") } == false)
        }
        #expect(try await tool.run(["edit", "--keep-copyright", "camera.jpg", "camera.webp"]).status == 0)
        for name in ["camera.jpg", "camera.webp"] {
            let metadata = try ImageMetadata(of: file(name))
            #expect(metadata.exif?.make == nil && metadata.exif?.artist == "Ada Lovelace")
        }
    }

    @Test(arguments: ["camera.jpg", "camera.png", "camera.webp", "badge.png", "bare.jpg"])
    func `--turn and --flip are combined with the present orientation, and pixels stay`(
        _ name: String
    ) async throws {
        try copy(name == "badge.png" ? "Photos/\(name)" : "Metadata/\(name)", name)
        let original = try file(name)
        let before = try Image.decode(original)
        let steps: [(arguments: [String], shown: (Image) -> Image)] = [
            (["--turn", "90"], { $0.kf.rotated(byQuarterTurns: 1) }),
            (
                ["--turn", "180", "--flip", "vertical"],
                { $0.kf.rotated(byQuarterTurns: 2).kf.flipped(.vertical) }
            ),
            (["--flip", "horizontal"], { $0.kf.flipped(.horizontal) }),
            (["--turn", "270"], { $0.kf.rotated(byQuarterTurns: 3) }),
        ]
        var expected = before
        for step in steps {
            #expect(try await tool.run(["edit", name] + step.arguments).status == 0)
            expected = step.shown(expected)
            #expect(try Image.decode(file(name)).pixels?.straightSamples == expected.pixels?.straightSamples)
        }
        #expect(try Image.decode(file(name)).pixels?.straightSamples == before.pixels?.straightSamples)
        let metadata = try ImageMetadata(of: file(name))
        #expect(metadata.exif?.make == (try ImageMetadata(of: original).exif?.make))
        if let xmp = metadata.xmp.map({ String(decoding: $0, as: UTF8.self) }),
            xmp.contains("tiff:Orientation")
        {
            let number = (1...8).first { Image.Orientation(exif: $0) == metadata.orientation } ?? 0
            #expect(
                xmp.contains("tiff:Orientation>\(number)") || xmp.contains("tiff:Orientation=\"\(number)\""))
        }
    }

    @Test func `A file that is turned upright and stripped has no EXIF block`() async throws {
        try copy("Metadata/camera.jpg", "a.jpg")
        #expect(try await tool("edit", "a.jpg", "--strip", "--turn", "270").status == 0)
        let metadata = try ImageMetadata(of: file("a.jpg"))
        #expect(metadata.orientation == .up && metadata.exif == nil)
    }

    @Test func `A failure leaves its file, is named, and does not stop the others`() async throws {
        try copy("AVIF/layers.avif", "a.avif")
        try copy("Metadata/xmp.gif", "b.gif")
        try Data("no image".utf8).write(to: URL(filePath: path("c.jpg")))
        let camera = try Fixtures.data(named: "Metadata/camera.jpg")
        try camera.prefix(camera.count / 2).write(to: URL(filePath: path("d.jpg")))
        try camera.write(to: URL(filePath: path("e.jpg")))
        let names = try tool.folder.names()
        let before = try names.map(file)
        let result = try await tool.run(["edit", "--turn", "90", "--json", "missing.jpg", "."] + names)
        #expect(result.status == 1)
        let objects = try result.objects()
        #expect(objects.count == 7)
        #expect(objects.filter { $0["error"] == nil }.map { $0["file"] as? String } == ["e.jpg"])
        #expect(result.errors.contains("kingfisher: missing.jpg: no such file\n"))
        #expect(result.errors.contains("kingfisher: .: it is a folder\n"))
        #expect(
            result.errors.contains("kingfisher: a.avif: ") && result.errors.contains("kingfisher: c.jpg: "))
        #expect(try names.map(file).prefix(4) == before.prefix(4) && file("e.jpg") != before[4])
        #expect(try tool.folder.names() == names)
        // A format that cannot be changed has no location; its names cannot be kept.
        #expect(try await tool("edit", "--no-location", "a.avif").lines.first?.contains("unchanged") == true)
        #expect(try await tool("edit", "--strip", "a.avif").status == 1)
        #expect(try file("a.avif") == before[0])
        #expect(try await tool("edit", "--strip", "b.gif").status == 0)
    }

    @Test func `-o writes elsewhere, also what did not change`() async throws {
        _ = try copyCameras()
        let before = try file("camera.jpg")
        try FileManager.default.createDirectory(atPath: path("two"), withIntermediateDirectories: false)
        try copy("Metadata/camera.jpg", "two/camera.JPG")
        #expect(try await tool("edit", "--strip", "camera.jpg", "-o", "one.jpg", "--keep-time").status == 0)
        #expect(try file("camera.jpg") == before && ImageMetadata(of: file("one.jpg")).location == nil)
        let result = try await tool(
            "edit", "--strip", "one.jpg", "camera.png", "camera.jpg", "two/camera.JPG", "-o", "out/", "--json"
        )
        #expect(result.status == 0)
        #expect(try result.objects().count { $0["changed"] as? Bool == false } == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: path("out")).sorted() == [
                "camera-2.JPG", "camera.jpg", "camera.png", "one.jpg",
            ])
        let refused = try await tool("edit", "--strip", "camera.jpg", "-o", "./camera.jpg")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("cannot write ./camera.jpg: it is also a SOURCE"))
        let piped = try await tool("edit", "--strip", "camera.jpg", "-o", "-")
        #expect(try piped.output == file("one.jpg"))
    }

    @Test(arguments: [
        ["a.jpg"], ["a.jpg", "--strip", "--no-location"], ["a.jpg", "--turn", "45"],
        ["a.jpg", "--turn", "x"],
        ["a.jpg", "--flip", "both"], ["-", "--strip"], ["--strip"], ["a.jpg", "./a.jpg", "--strip"],
        ["a.jpg", "--strip", "-o", "b.jpg", "--follow"], ["a.jpg", "--strip", "-o", "-", "--json"],
        ["a.jpg", "b.jpg", "--strip", "-o", "c.jpg"],
    ])
    func `Wrong usage is refused, and nothing is changed`(_ arguments: [String]) async throws {
        try copy("Metadata/camera.jpg", "a.jpg")
        let before = try file("a.jpg")
        let result = try await tool.run(["edit"] + arguments)
        #expect(result.status == 2 && result.errors.hasPrefix("kingfisher: "))
        #expect(try tool.folder.names() == ["a.jpg"] && file("a.jpg") == before)
    }
}

extension String {
    var fileInode: UInt64 {
        var status = stat()
        return stat(self, &status) == 0 ? UInt64(status.st_ino) : 0
    }
}
