import Foundation
import Testing

@testable import KingfisherCLI

@Suite("Source arguments")
struct SourceArgumentTests {
    private let folder = URL(filePath: "/home/someone/images", directoryHint: .isDirectory)

    private func read(_ text: String) throws -> SourceArgument {
        try SourceArgument(text, relativeTo: folder)
    }

    @Test(
        "http and https URLs are remote",
        arguments: ["http://127.0.0.1:80/a.jpg", "HTTPS://example.com/?a=b"])
    func remote(text: String) throws {
        #expect(try read(text) == .remote(try #require(URL(string: text))))
    }

    @Test(
        "Escapes of a URL stay, and what it cannot contain is escaped",
        arguments: [
            ("http://example.com/a%20b c.png?q=%2F ä", "http://example.com/a%20b%20c.png?q=%2F%20%C3%A4"),
            ("http://example.com/100%|\"[1].png", "http://example.com/100%25%7C%22%5B1%5D.png"),
        ])
    func escapes(text: String, expected: String) throws {
        #expect(try read(text) == .remote(try #require(URL(string: expected))))
    }

    @Test(
        "Paths are files, relative to the folder",
        arguments: [
            ("a.jpg", "/home/someone/images/a.jpg"),
            ("../b c.png", "/home/someone/b c.png"),
            ("/tmp/x.gif", "/tmp/x.gif"),
            ("file:///tmp/a%20b.gif", "/tmp/a b.gif"),
            ("file:///tmp/a%20b c%.gif", "/tmp/a b c%.gif"),
            ("file://localhost/tmp/a.gif", "/tmp/a.gif"),
            ("12:30.png", "/home/someone/images/12:30.png"),
            ("a%20b.png", "/home/someone/images/a%20b.png"),
        ])
    func file(text: String, path: String) throws {
        guard case .file(let url) = try read(text) else {
            Issue.record("\(text) is not a file")
            return
        }
        #expect(url.path == path)
    }

    @Test("Invalid sources are refused")
    func refuses() {
        #expect(throws: SourceArgumentError.emptySource) { try read("") }
        #expect(throws: SourceArgumentError.invalidURL) { try read("http://") }
        #expect(throws: SourceArgumentError.invalidURL) { try read("https:photo.jpg") }
        #expect(throws: SourceArgumentError.otherHost) { try read("file://otherhost/tmp/a.gif") }
        #expect(throws: SourceArgumentError.unsupportedScheme("ftp")) { try read("ftp://example.com/a.jpg") }
    }

    @Test(
        "data: URIs carry their bytes",
        arguments: [
            ("data:image/png;base64,AAEC/w==", [0, 1, 2, 255] as [UInt8]),
            ("data:image/png;base64,AAEC%2Fw%3D%3D", [0, 1, 2, 255]),
            ("DATA:;BASE64,AAEC/w", [0, 1, 2, 255]),
            ("data:image/gif;charset=x;base64,AAEC\n /w==", [0, 1, 2, 255]),
            ("data:,%00a%ff,", [0, 0x61, 0xFF, 0x2C]),
            ("data:text/plain,base64", Array("base64".utf8)),
            ("data:image/png; base64,AAEC/w==", [0, 1, 2, 255]), ("data:,%", [0x25]),
            ("data:,%zz#x", [0x25, 0x7A, 0x7A]),
            ("data:,", []),
        ])
    func data(text: String, bytes: [UInt8]) throws {
        #expect(try read(text) == .inline(Data(bytes)))
    }

    @Test(
        "Malformed data: URIs are refused",
        arguments: [
            "data:", "data:image/png;base64", "data:;base64,A", "data:;base64,AAEC*w==",
        ])
    func malformedData(text: String) {
        #expect(throws: SourceArgumentError.invalidDataURI) { try read(text) }
    }
}
