import Foundation
import Glibc
import KingfisherGTK
import KingfisherTestSupport
import TestHelpers
import Testing

extension GTKTests {
    /// The trash is tested by `Examples/PhotoBrowser/check`, because a process has one trash.
    @Suite struct ImageFileEditorTests {
        private let folder: URL

        init() throws {
            folder = TestFolders.unused()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        private func copy(of fixture: String) throws -> URL {
            let file = folder.appending(path: fixture.replacing("/", with: "-"))
            try Fixtures.data(named: fixture).write(to: file)
            return file
        }

        private func orientation(of file: URL) throws -> Image.Orientation {
            try ImageMetadata(of: Data(contentsOf: file)).orientation
        }

        @Test(
            "A photo is turned by its orientation, with its pixels and its mode",
            arguments: ["Photos/coffee.jpg", "Metadata/camera.jpg", "Photos/badge.png"])
        func turned(fixture: String) async throws {
            let file = try copy(of: fixture)
            let (data, before) = (try Data(contentsOf: file), try orientation(of: file))
            #expect(chmod(file.path, 0o640) == 0)
            try await ImageFileEditor(file).rotate(byQuarterTurns: 1)
            #expect(try orientation(of: file) == before.rotated(byQuarterTurns: 1))
            var status = stat()
            #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
            let upright = try #require(KingfisherWrapper<Image>.image(data: data, options: .init()))
            let turned = try #require(
                KingfisherWrapper<Image>.image(data: Data(contentsOf: file), options: .init()))
            let expected = upright.kf.rotated(byQuarterTurns: 1).pixels
            #expect(PixelDifference(turned.pixels, expected)?.largest == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
            try await ImageFileEditor(file).rotate(byQuarterTurns: -1)
            #expect(try orientation(of: file) == before)
        }

        @Test("A symbolic link stays, and its target is turned; another name keeps the old file")
        func links() async throws {
            let file = try copy(of: "Photos/coffee.jpg")
            let (link, name) = (folder.appending(path: "link.jpg"), folder.appending(path: "name.jpg"))
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            try FileManager.default.linkItem(at: file, to: name)
            try await ImageFileEditor(link).rotate(byQuarterTurns: 1)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
            #expect(try orientation(of: file) == .right)
            #expect(try orientation(of: name) == .up)
        }

        @Test("A whole turn does not touch the file")
        func wholeTurn() async throws {
            let file = try copy(of: "Photos/coffee.jpg")
            let date = Date(timeIntervalSince1970: 1_000_000)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
            try await ImageFileEditor(file).rotate(byQuarterTurns: 4)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.modificationDate] as? Date == date)
        }

        @Test("What cannot be turned stays as it is, and nothing is left in its folder")
        func refused() async throws {
            let image = try copy(of: "Photos/cat.gif")
            let bytes = try Data(contentsOf: image)
            await #expect { try await ImageFileEditor(image).rotate(byQuarterTurns: 1) } throws: {
                if case ImageFileEditor.Failure.refused(.unsupported) = $0 { true } else { false }
            }
            #expect(try Data(contentsOf: image) == bytes)
            let text = folder.appending(path: "text.jpg")
            try Data("not an image".utf8).write(to: text)
            await #expect(throws: ImageFileEditor.Failure.unknownFormat) {
                try await ImageFileEditor(text).rotate(byQuarterTurns: 1)
            }
            await #expect(throws: ImageFileEditor.Failure.system(String(cString: strerror(EISDIR)))) {
                try await ImageFileEditor(folder).rotate(byQuarterTurns: 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }

        @Test("A missing file fails with the message of the system")
        func missing() async {
            let file = folder.appending(path: "missing.jpg")
            await #expect(throws: ImageFileEditor.Failure.system(String(cString: strerror(ENOENT)))) {
                try await ImageFileEditor(file).rotate(byQuarterTurns: 1)
            }
            await #expect {
                try await ImageFileEditor(file).moveToTrash()
            } throws: {
                guard case ImageFileEditor.Failure.system(let message) = $0 else { return false }
                return !message.isEmpty && $0.localizedDescription == message
            }
        }
    }
}
