import CGtk
import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import Kingfisher

extension GTKTests {
    /// GIO finds and checks thumbnails for file managers; gdk-pixbuf reads and writes them for GNOME.
    @Suite @MainActor struct ThumbnailInteroperabilityTests {
        private let folder = TestFolders.unused()

        private static let date = Date(timeIntervalSince1970: 1_600_000_000)

        private var thumbnails: String { folder.path + "/cache/thumbnails" }

        /// Makes a photograph with a name of these bytes, and returns its path.
        private func photograph(_ name: [UInt8]) throws -> [CChar] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = (Array("\(folder.path)/".utf8) + name + [0]).map { CChar(truncatingIfNeeded: $0) }
            let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
            try #require(descriptor >= 0)
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: Fixtures.data(named: "Photos/coffee.jpg"))
            return path
        }

        private func photograph(named name: String) throws -> [CChar] {
            let path = try photograph(Array(name.utf8))
            try setDate(Self.date, of: name)
            return path
        }

        private func setDate(_ date: Date, of name: String) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: date], ofItemAtPath: folder.appending(path: name).path)
        }

        private func provider(
            _ path: [CChar], _ size: DesktopThumbnailSize = .normal
        ) throws -> DesktopThumbnailProvider {
            DesktopThumbnailProvider(
                fileURL: try #require(URL(string: uri(path))), size: size,
                repository: ThumbnailRepository(folder: thumbnails, clock: ManualClock(Date() + 60)))
        }

        /// The URI by GLib.
        private func uri(_ path: [CChar]) throws -> String {
            let file = try #require(g_file_new_for_path(path))
            defer { g_object_unref(UnsafeMutableRawPointer(file)) }
            let uri = try #require(g_file_get_uri(file))
            defer { g_free(uri) }
            return String(cString: uri)
        }

        /// What `gio info` reports about the thumbnails of the files, in order.
        private func information(about files: [[CChar]]) throws -> [[String: String]] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                ["XDG_CACHE_HOME=\(folder.path)/cache", "gio", "info", "-a", "thumbnail::*"]
                + (try files.map(uri))
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return text.components(separatedBy: "attributes:").dropFirst().map { part in
                let fields = part.split(separator: "\n").compactMap { line -> (String, String)? in
                    let parts = line.components(separatedBy: ": ")
                    guard parts.count == 2 else { return nil }
                    return (parts[0].trimmingCharacters(in: .whitespaces), parts[1])
                }
                return Dictionary(fields) { first, _ in first }
            }
        }

        @Test("GIO finds our thumbnails of files with difficult names, and finds them valid")
        func gioReads() async throws {
            defer { try? FileManager.default.removeItem(at: folder) }
            let names = [
                "plain.jpg", "with space.jpg", "ümläut.jpg", "a\u{308}.jpg", "semi;colon", "~tilde",
                "(paren)",
                "it's", "100%", "q?#[]", "a&b=c@d:e+f,g$h!i*j", "\"<>\\^`{|}", "%41", "日本語.png",
                "tab\tnew\nline",
            ]
            let every: [UInt8] = (1...255).filter { $0 != UInt8(ascii: "/") }
            let files = try
                (names.map { Array($0.utf8) } + [
                    [0xFF, 0xE4], Array(every.prefix(128)),
                    Array(every.dropFirst(128)),
                ]).map(photograph)
            for file in files { _ = try await provider(file).data() }
            let found = try information(about: files)
            try #require(found.count == files.count)
            for (file, found) in zip(files, found) {
                let name = g_compute_checksum_for_string(G_CHECKSUM_MD5, try uri(file), -1)
                defer { g_free(name) }
                let path = try "\(thumbnails)/normal/\(String(cString: #require(name))).png"
                #expect(found["thumbnail::path"] == path && found["thumbnail::is-valid"] == "TRUE")
            }
        }

        @Test("GIO finds our thumbnail invalid after the file has changed")
        func gioNoticesChange() async throws {
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = try photograph(named: "photo.jpg")
            _ = try await provider(file, .large).data()
            #expect(try information(about: [file])[0]["thumbnail::is-valid"] == "TRUE")
            try setDate(Self.date + 1, of: "photo.jpg")
            #expect(try information(about: [file])[0]["thumbnail::is-valid"] == "FALSE")
        }

        @Test("gdk-pixbuf reads the pixels and texts of our thumbnail")
        func pixbufReads() async throws {
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = try photograph(named: "a photo.jpg")
            let data = try await provider(file).data()
            let copy = folder.appending(path: "copy.png")
            try data.write(to: copy)
            let pixbuf = try #require(gdk_pixbuf_new_from_file(copy.path, nil))
            defer { g_object_unref(UnsafeMutableRawPointer(pixbuf)) }
            let texts = [
                "Thumb::URI": try uri(file), "Thumb::MTime": "1600000000", "Thumb::Mimetype": "image/jpeg",
                "Thumb::Image::Width": "512", "Thumb::Image::Height": "341",
            ]
            for (keyword, text) in texts {
                let read = gdk_pixbuf_get_option(pixbuf, "tEXt::\(keyword)").map { String(cString: $0) }
                #expect(read == text)
            }
            #expect(gdk_pixbuf_get_width(pixbuf) == 128 && gdk_pixbuf_get_height(pixbuf) == 85)
            #expect(gdk_pixbuf_get_n_channels(pixbuf) == 4 && gdk_pixbuf_get_bits_per_sample(pixbuf) == 8)
        }

        @Test("A thumbnail that gdk-pixbuf wrote is supplied unchanged")
        func pixbufWrites() async throws {
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = try photograph(named: "ein schönes Bild.jpg")
            let name = g_compute_checksum_for_string(G_CHECKSUM_MD5, try uri(file), -1)
            defer { g_free(name) }
            try FileManager.default.createDirectory(
                atPath: thumbnails + "/large", withIntermediateDirectories: true)
            let target = try "\(thumbnails)/large/\(String(cString: #require(name))).png"
            let pixbuf = gdk_pixbuf_new_from_file_at_size(file, 256, 256, nil)
            defer { g_object_unref(UnsafeMutableRawPointer(pixbuf)) }
            let fields = [
                ("tEXt::Thumb::URI", try uri(file)), ("tEXt::Thumb::MTime", "1600000000"),
                ("tEXt::Software", "GNOME::ThumbnailFactory"),
            ]
            var keys = fields.map { strdup($0.0) } + [nil]
            var values = fields.map { strdup($0.1) } + [nil]
            defer { (keys + values).forEach { free($0) } }
            try #require(gdk_pixbuf_savev(pixbuf, target, "png", &keys, &values, nil) != 0)
            let data = try await provider(file, .large).data()
            #expect(data == (try Data(contentsOf: URL(filePath: target))))
        }
    }
}
