import Foundation
import Glibc
import KingfisherStorage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

@Suite struct LocalFilePathTests {
    private func uri(_ url: URL?) throws -> String? { LocalFilePath(try #require(url))?.uri }

    @Test("The example of the thumbnail specification has the name that it states")
    func specification() throws {
        let url = try #require(URL(string: "file:///home/jens/photos/me.png"))
        let path = try #require(LocalFilePath(url))
        let fixture = try #require(LocalFilePath(Fixtures.url(named: "PNG/rgba8.png")))
        let version = try #require(fixture.withCString { FileVersion(path: $0) })
        #expect(path.uri == "file:///home/jens/photos/me.png")
        #expect(ThumbnailSubject(path, version).fileName == "c6ee772d9e49320e97ec29a7eb5b1697.png")
    }

    /// The left column is what `g_filename_to_uri` of GLib 2.74 returns; `KingfisherGTKTests` asks GLib.
    @Test("Paths are spelled as GLib spells them")
    func spelling() throws {
        let table = [
            ("file:///a%20b%3Bc", "/a b;c"), ("file:///~(a)'!*", "/~(a)'!*"),
            ("file:///100%25", "/100%"), ("file:///%C3%A4.png", "/ä.png"), ("file:///a%CC%88", "/a\u{308}"),
            ("file:///x@y=z&u,v+w:$", "/x@y=z&u,v+w:$"), ("file:///%3F%23%5B%5D", "/?#[]"),
            ("file:///%5C%22%3C%3E%5E%60%7B%7C%7D", "/\\\"<>^`{|}"), ("file:///a%0Ab", "/a\nb"),
        ]
        for (expected, path) in table { #expect(try uri(URL(filePath: path)) == expected) }
    }

    @Test("Empty and dot components are resolved without following links")
    func components() throws {
        let table = [
            ("file:///a/./b//c/", "file:///a/b/c"), ("file:///a/../b", "file:///b"),
            ("file:///../a", "file:///a"), ("file:///", "file:///"), ("file://localhost/a", "file:///a"),
            ("file://LOCALHOST/a", "file:///a"),
            ("file:///a%2Fb", "file:///a/b"), ("FILE:///A", "file:///A"), ("file:///%zz", "file:///%25zz"),
            ("file:///%+f", "file:///%25+f"),
        ]
        for (text, expected) in table { #expect(try uri(URL(string: text)) == expected, "\(text)") }
        for text in ["https://example.com/a", "file://server/a", "file:///a%00b"] {
            #expect(try uri(URL(string: text)) == nil)
        }
    }

    @Test("A path with \"..\" after a link is opened as the system resolves it")
    func parentOfLink() throws {
        let folder = try TemporaryFolder()
        let (files, root) = (FileManager.default, folder.url)
        try files.createDirectory(at: root.appending(path: "a/b"), withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: root.path + "/link", withDestinationPath: "a/b")
        try Data("wrong".utf8).write(to: root.appending(path: "image"))
        try Data("right".utf8).write(to: root.appending(path: "a/image"))
        let url = try #require(URL(string: "file://\(root.path)/link/../image"))
        #expect(ImageFile(url)?.start == Data("right".utf8))
        // Other programs make the URI without the file system.
        #expect(try uri(url) == "file://\(root.path)/image")
    }

    @Test("A file with a slash after its name is not opened")
    func trailingSlash() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "image")
        try Data("image".utf8).write(to: file)
        #expect(ImageFile(file) != nil)
        #expect(ImageFile(try #require(URL(string: "file://\(file.path)/"))) == nil)
    }

    @Test("An empty file is opened, and has no bytes")
    func empty() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "empty")
        try Data().write(to: file)
        #expect(ImageFile(file)?.start == Data() && ImageFile(file)?.all() == Data())
    }

    @Test("The path of a URL with another host is opened for providers that ignore hosts")
    func otherHost() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "image")
        try Data("image".utf8).write(to: file)
        let url = try #require(URL(string: "file://server\(file.path)"))
        #expect(ImageFile(url)?.start == Data("image".utf8) && LocalFilePath(url) == nil)
    }

    @Test("A name that is not UTF-8 is opened and spelled byte by byte")
    func bytes() throws {
        let folder = try TemporaryFolder()
        let name = (Array("\(folder.url.path)/".utf8) + [0xff, 0xe4, 0]).map { CChar(truncatingIfNeeded: $0) }
        let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: TestImages.png)
        let text = "file://\(folder.url.path)/%FF%E4"
        let url = try #require(URL(string: text))
        #expect(try uri(url) == text)
        #expect(try ImageFile(url)?.all() == TestImages.png)
    }
}
