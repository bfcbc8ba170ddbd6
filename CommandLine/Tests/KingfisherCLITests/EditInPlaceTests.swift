import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

/// Files that `kingfisher edit` replaces.
@Suite struct EditInPlaceTests {
    private let tool = Tool()

    /// Copies a photo to `a.jpg`, runs a script, and returns its lines.
    private func lines(_ script: String) async throws -> [String] {
        try Fixtures.data(named: "Metadata/camera.jpg").write(to: URL(filePath: tool.folder.path("a.jpg")))
        return try await tool.shell(script).lines
    }

    @Test func `The mode stays, and with --keep-time the modification time`() async throws {
        let lines = try await lines(
            """
            chmod 640 a.jpg; touch -d '2001-02-03 04:05:06.123456789' a.jpg; umask 077
            kingfisher edit a.jpg --no-location --keep-time --quiet; stat -c '%a %y' a.jpg
            kingfisher edit a.jpg --strip -o b.jpg --keep-time --quiet; stat -c '%y' b.jpg
            kingfisher edit a.jpg --strip --quiet; stat -c '%a %y' a.jpg; ls -A
            """)
        #expect(lines[0].hasPrefix("640 2001-02-03 04:05:06.123456789"))
        #expect(lines[1].hasPrefix("2001-02-03 04:05:06.123456789"))
        #expect(lines[2].hasPrefix("640 20") && !lines[2].contains("2001-02-03"))
        #expect(lines.dropFirst(3) == ["a.jpg", "b.jpg"])
    }

    @Test func `A symbolic link and a file with two names are refused unless --follow is given`() async throws
    {
        let lines = try await lines(
            """
            ln -s a.jpg link.jpg; ln a.jpg hard.jpg; cp a.jpg copy.jpg
            kingfisher edit link.jpg --strip --json; echo $?
            kingfisher edit hard.jpg --strip 2>&1; echo $?
            cmp a.jpg copy.jpg && kingfisher edit link.jpg --strip --follow --quiet; echo $?
            readlink link.jpg; cmp -s hard.jpg copy.jpg; echo $?; cmp -s a.jpg copy.jpg; echo $?
            """)
        #expect(lines[0].contains(#""error":"symbolicLink""#) && lines[1] == "1")
        #expect(lines[2].hasPrefix("kingfisher: hard.jpg: it has other names (hard links)"))
        #expect(lines.dropFirst(3) == ["1", "0", "a.jpg", "0", "1"])
    }

    @Test func `Without room for the new file, or in a folder that is not writable, the file stays`()
        async throws
    {
        let lines = try await lines(
            """
            cp a.jpg copy.jpg
            (ulimit -f 1; kingfisher edit a.jpg --no-location 2>&1; echo $?)
            (ulimit -f 1; kingfisher edit a.jpg --no-location -o b.jpg 2>&1; echo $?)
            cmp a.jpg copy.jpg; ls -A
            """)
        let reason = String(cString: strerror(EFBIG))
        #expect(lines[0].hasSuffix("/a.jpg: \(reason)") || lines[0].hasSuffix("write a.jpg: \(reason)"))
        #expect(lines[1] == "1" && lines[2] == "kingfisher: cannot write b.jpg: \(reason)" && lines[3] == "1")
        #expect(lines.dropFirst(4) == ["a.jpg", "copy.jpg"])
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `A folder that is not writable is an error`() async throws {
        let lines = try await lines(
            "chmod 500 .; kingfisher edit a.jpg --strip 2>&1; echo $?; chmod 700 .; ls -A")
        #expect(lines[0].hasSuffix("a.jpg: \(String(cString: strerror(EACCES)))"))
        #expect(lines.dropFirst() == ["1", "a.jpg"])
    }

    @Test func `A file that another program has replaced meanwhile is refused`() throws {
        let path = tool.folder.path("a.jpg")
        try Data([1]).write(to: URL(filePath: path))
        let original = try OriginalFile(path, mayBeLink: false)
        try OutputFile.write(Data([2]), to: path)
        #expect(throws: EditRefusal.hasChanged) { try original.replace(with: Data([3]), keepingTime: false) }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([2]))
        #expect(try tool.folder.names() == ["a.jpg"])
    }

    @Test(.enabled(if: geteuid() == 0, "chown"))
    func `Root keeps the owner, and extended attributes stay`() async throws {
        let path = tool.folder.path("a.jpg")
        try Data([1]).write(to: URL(filePath: path))
        #expect(chown(path, 65_534, 65_533) == 0)
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let name = "user.note".utf8.map { CChar($0) } + [0]
        // Some file systems have no such attributes.
        try? ExtendedAttributes.set([.init(name: name, value: [7, 8])], of: descriptor)
        let before = try ExtendedAttributes.all(of: descriptor).map(\.value)
        try OriginalFile(path, mayBeLink: false).replace(with: Data([3]), keepingTime: false)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_uid == 65_534 && status.st_gid == 65_533)
        let replaced = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(replaced) }
        #expect(try ExtendedAttributes.all(of: replaced).map(\.value) == before)
    }

    @Test func `A pipe and a device are not edited`() async throws {
        let lines = try await lines(
            """
            mkfifo pipe; kingfisher edit pipe /dev/null --strip 2>&1; echo $?
            """)
        #expect(
            lines.dropLast().allSatisfy { $0.hasSuffix(": it is not a regular file") } && lines.count == 3)
        #expect(lines.last == "1")
    }
}
