import Foundation
import Testing

@testable import KingfisherCLI

@Suite("File names for a folder")
struct FileStemsTests {
    private func stem(ofURL text: String) throws -> String {
        var stems = FileStems()
        return stems.stem(for: .remote(try #require(URL(string: text))))
    }

    @Test(
        "A name is the last component, without extension and unsafe characters",
        arguments: [
            ("http://h/a/photo.jpg?w=1", "photo"),
            ("http://h/a/photo.tar.gz", "photo.tar"),
            ("http://h/%2e%2e%2fetc%2fpasswd", "_etc_passwd"),
            ("http://h/a%2Fb.png", "a_b"),
            ("http://h/..hidden.png", "hidden"),
            ("http://h/-rf.png", "rf"),
            ("http://h/a%0Ab%00.png", "a_b_"),
            ("http://h/%C3%A9t%C3%A9.png", "été"),
        ])
    func clean(url: String, name: String) throws {
        #expect(try stem(ofURL: url) == name)
    }

    @Test(
        "A URL without a name gets a unique hash",
        arguments: ["http://h/", "http://h", "http://h/..", "http://h/?q"])
    func hash(url: String) throws {
        let name = try stem(ofURL: url)
        #expect(name.count == 16)
        #expect(name.allSatisfy { $0.isHexDigit })
        let other = try stem(ofURL: "http://other/")
        let again = try stem(ofURL: url)
        #expect(name != other)
        #expect(name == again)
    }

    @Test("Equal names are numbered in order, ignoring case")
    func collisions() throws {
        var stems = FileStems()
        let names = try ["http://a/x.png", "http://b/X.jpg", "http://c/x.gif", "http://d/x-2.gif"].map {
            stems.stem(for: .remote(try #require(URL(string: $0))))
        }
        #expect(names == ["x", "X-2", "x-3", "x-2-2"])
    }

    @Test("The name of a source file is never used")
    func avoided() {
        var stems = FileStems(avoiding: [URL(filePath: "/p/photo.jpg")])
        #expect(stems.stem(for: .file(URL(filePath: "/p/photo.jpg"))) == "photo-2")
    }

    @Test("A long name is truncated at a character boundary")
    func long() throws {
        let name = try #require(FileStems.clean(String(repeating: "é", count: 500) + ".png"))
        #expect(name == String(repeating: "é", count: 80))
    }
}
