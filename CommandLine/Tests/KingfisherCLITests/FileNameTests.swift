import Foundation
import KingfisherTestSupport
import Testing

/// File names that are not UTF-8, and file names that look like options.
@Suite("File names")
struct FileNameTests {
    private let tool = Tool()
    private let photo = Fixtures.url(named: "Photos/coffee.jpg").path

    @Test("Names that are not UTF-8 are read, written and printed with the bytes escaped")
    func bytes() async throws {
        let result = try await tool.shell(
            """
            set -e
            name=$(printf 'caf\\351'); mkdir "$name"; cp '\(photo)' "$name/$name.jpg"
            kingfisher info "$name/$name.jpg"
            kingfisher info "file://$PWD/caf%E9/caf%E9.jpg" --json
            kingfisher info "$name/$name.jpg" --json
            kingfisher get "$name/$name.jpg" -o "$name.jpg" --no-cache
            cmp "$name.jpg" '\(photo)'
            kingfisher get "$name.jpg" -o "$name/out/" -p downsample:50x50 --json --cache cache
            test -s "$name/out/$name.png"
            cd "$name"; kingfisher get "$name.jpg" -p downsample:50x50 --no-cache; test -s "$name-2.png"
            kingfisher info "$name.gif" || test $? = 1
            """)
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.lines
        try #require(lines.count == 6)
        #expect(lines[0].hasPrefix(#"caf\xE9/caf\xE9.jpg: JPEG, 512 x 341"#))
        #expect(lines[1].contains(#"/caf%E9/caf%E9.jpg","#))
        #expect(lines[2].hasPrefix(#"{"source":"caf\\xE9/caf\\xE9.jpg","#))
        #expect(lines[3].hasPrefix(#"caf\xE9.jpg: 512 x 341 pixels, jpeg"#))
        #expect(lines[4].hasSuffix(#""output":"caf\\xE9/out/caf\\xE9.png"}"#))
        #expect(lines[5].hasPrefix(#"caf\xE9-2.png: 50 x 33 pixels"#))
        #expect(result.errors == "kingfisher: caf\\xE9.gif: no such file\n")
    }

    @Test("A cache folder with a name that is not UTF-8 is wrong usage")
    func cacheFolder() async throws {
        let result = try await tool.shell(#"kingfisher cache list --cache "$(printf 'caf\351')""#)
        #expect(result.status == 2)
        #expect(result.errors.contains("UTF-8"))
        #expect(try tool.folder.names() == [])
    }

    @Test("`..` after a link is resolved as the system does")
    func parentOfALink() async throws {
        let result = try await tool.shell(
            """
            mkdir -p a/below; cp '\(photo)' a/photo.jpg; echo other > photo.jpg; ln -s a/below link
            kingfisher info link/../photo.jpg
            """)
        #expect(result.status == 0)
        #expect(result.lines.first?.contains("JPEG, 512 x 341") == true)
    }

    @Test("A file name that looks like an option gives a hint")
    func dash() async throws {
        try Data([1]).write(to: URL(filePath: tool.folder.path("-v")))
        for arguments in [["info", "-dash.png"], ["get", "-dash.JPG", "-o", "a.png"], ["info", "-v"]] {
            let result = try await tool.run(arguments)
            #expect(result.status == 2)
            #expect(result.errors.contains("write ./\(arguments[1]), or put -- before it"))
        }
        for arguments in [["info", "--bogus"], ["info", "--", "-dash.png"]] {
            #expect(!(try await tool.run(arguments).errors.contains("write ./")))
        }
        try FileManager.default.copyItem(atPath: photo, toPath: tool.folder.path("-dash.png"))
        for arguments in [["info", "./-dash.png"], ["info", "--", "-dash.png"]] {
            #expect(try await tool.run(arguments).status == 0)
        }
    }
}
