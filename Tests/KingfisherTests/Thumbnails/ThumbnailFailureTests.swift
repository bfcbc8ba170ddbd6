import Foundation
import Glibc
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

@Suite struct ThumbnailFailureTests {
    private func spoil(_ rig: ThumbnailRig, at date: Date = ThumbnailRig.photographed) throws {
        let photo = try Fixtures.data(named: "Photos/coffee.jpg")
        try photo.prefix(photo.count / 2).write(to: rig.file)
        try ThumbnailRig.setModificationDate(date, of: rig.file)
    }

    @Test("A file that cannot be decoded is recorded, and decoded again only after a change")
    func recorded() async throws {
        let rig = try ThumbnailRig()
        try spoil(rig)
        #expect(await rig.failure() == .undecodable(.truncated))
        let folder = "fail/kingfisher-\(kingfisherVersion)"
        let entry = try rig.entry(folder)
        #expect(rig.entries == ["\(folder)/\(entry.lastPathComponent)"])
        let texts = ThumbnailRig.texts(of: try Data(contentsOf: entry))
        #expect(texts["Thumb::URI"] == "file://\(rig.file.path)" && texts["Thumb::MTime"] == "1600000000")
        #expect(await rig.failure() == .failedBefore)
        try spoil(rig, at: ThumbnailRig.photographed + 1)
        #expect(await rig.failure() == .undecodable(.truncated))
        let whole = Fixtures.url(named: "Photos/coffee.jpg")
        try Data(contentsOf: whole).write(to: rig.file)
        try ThumbnailRig.setModificationDate(ThumbnailRig.photographed + 2, of: rig.file)
        #expect(await rig.failure() == nil)
    }

    @Test("A file above a limit is not recorded, because limits may change")
    func limits() async throws {
        let rig = try ThumbnailRig()
        try HostileFile.hugeJPEG().write(to: rig.file)
        try ThumbnailRig.setModificationDate(ThumbnailRig.photographed, of: rig.file)
        #expect(await rig.failure() == .undecodable(.tooLarge(width: 60_000, height: 60_000)))
        #expect(rig.entries == [])
    }

    @Test("A failure of a codec that the program has registered is not recorded")
    func registeredCodec() async throws {
        let rig = try ThumbnailRig()
        try Data("FAILING FORMAT".utf8).write(to: rig.file)
        try ThumbnailRig.setModificationDate(ThumbnailRig.photographed, of: rig.file)
        ImageCodecs.register(FailingCodec())
        defer { ImageCodecs.unregister(FailingCodec().format) }
        #expect(await rig.failure() == .undecodable(.unsupported("test")))
        #expect(rig.entries == [])
    }

    @Test("An empty file has no known format")
    func emptyFile() async throws {
        let rig = try ThumbnailRig()
        try Data().write(to: rig.file)
        #expect(await rig.failure() == .unknownFormat)
    }

    @Test("Entries are read where they are written if the folder's path has \"..\" after a link")
    func parentOfLink() async throws {
        let rig = try ThumbnailRig()
        let (files, root) = (FileManager.default, rig.temporary.url)
        try files.createDirectory(at: root.appending(path: "a/b"), withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: root.path + "/link", withDestinationPath: "a/b")
        let repository = ThumbnailRepository(folder: root.path + "/link/..//thumbnails")
        let path = try #require(LocalFilePath(rig.file))
        let version = try #require(path.withCString { FileVersion(path: $0) })
        repository.storeFailure(of: ThumbnailSubject(path, version))
        #expect(repository.hasFailure(of: ThumbnailSubject(path, version)))
        #expect(files.fileExists(atPath: root.path + "/a/thumbnails/fail"))
    }

    @Test(
        "A thumbnail of another user is not used, and is replaced",
        .enabled(if: geteuid() == 0, "chown"))
    func otherUser() async throws {
        let rig = try ThumbnailRig()
        let foreign = ThumbnailRig.foreign([
            "Thumb::URI": "file://\(rig.file.path)", "Thumb::MTime": "1600000000",
        ])
        try rig.store(foreign)
        #expect(try await rig.load() == foreign)
        let entry = try rig.entry().path
        #expect(chown(entry, 65_534, 65_534) == 0)
        let own = try await rig.load()
        #expect(own != foreign)
        #expect(try Data(contentsOf: URL(filePath: entry)) == own)
        #expect(chown(entry, 65_534, 65_534) == 0)
        // Others may write to the folder, so nothing is stored.
        #expect(chown(rig.folder.path + "/large", 65_534, 65_534) == 0)
        #expect(chmod(rig.folder.path + "/large", 0o777) == 0)
        #expect(try await rig.load() == own)
        var status = stat()
        #expect(stat(entry, &status) == 0 && status.st_uid == 65_534 && rig.entries.count == 1)
    }

    @Test("A valid thumbnail is supplied even if a failure is recorded")
    func thumbnailFirst() async throws {
        let rig = try ThumbnailRig()
        try spoil(rig)
        #expect(await rig.failure() == .undecodable(.truncated))
        let foreign = ThumbnailRig.foreign([
            "Thumb::URI": "file://\(rig.file.path)", "Thumb::MTime": "1600000000",
        ])
        try rig.store(foreign)
        #expect(try await rig.load() == foreign)
    }

    @Test("URLs without a readable regular file have specific errors")
    func noFile() async throws {
        let rig = try ThumbnailRig()
        for text in ["https://example.com/a.jpg", "file://server/a.jpg", "file:///a%00b"] {
            let url = try #require(URL(string: text))
            #expect(await rig.failure(of: url) == .notLocal)
        }
        let pipe = rig.temporary.url.appending(path: "pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        for file in [rig.temporary.url, rig.temporary.url.appending(path: "none"), pipe] {
            #expect(await rig.failure(of: file) == .unreadable)
        }
        #expect(rig.entries == [])
    }

    @Test(
        "If the cache cannot be written, the thumbnail is supplied and no temporary file remains",
        arguments: [SystemCall.open, .write, .close, .rename, .makeDirectory], [ENOSPC, EROFS, EACCES])
    func unwritable(call: SystemCall, code: CInt) async throws {
        let rig = try ThumbnailRig { made, _ in made == call ? code : 0 }
        #expect(try await rig.load().kf.imageInfo?.width == 256)
        #expect(rig.entries == [])
    }

    @Test("If a file is in place of the cache folder, the thumbnail is supplied")
    func fileInPlace() async throws {
        let rig = try ThumbnailRig()
        try Data().write(to: rig.temporary.url.appending(path: "cache"))
        #expect(try await rig.load().kf.imageInfo?.width == 256)
    }

    @Test("The size is the smallest that fills a box")
    func covering() {
        let table: [(CGFloat, CGFloat, DesktopThumbnailSize)] = [
            (1, 1, .normal), (128, 1, .normal), (129, 1, .large), (128, 2, .large), (128, 3, .xLarge),
            (1024, 1, .xxLarge), (5000, 2, .xxLarge),
        ]
        for (side, scale, size) in table {
            #expect(DesktopThumbnailSize(covering: CGSize(width: side, height: 10), scale: scale) == size)
            #expect(DesktopThumbnailSize(covering: CGSize(width: 0, height: side), scale: scale) == size)
        }
    }

    @Test("The key tells file, size and modification date apart")
    func keys() throws {
        let file = URL(filePath: "/srv/a b.jpg")
        let key = Source.desktopThumbnail(of: file).cacheKey
        #expect(key == "kingfisher.thumbnail/large/file:///srv/a%20b.jpg")
        let others = [
            Source.desktopThumbnail(of: file, .normal), .desktopThumbnail(of: URL(filePath: "/srv/b.jpg")),
            .desktopThumbnail(of: file, modificationDate: ThumbnailRig.photographed),
            .desktopThumbnail(of: file, modificationDate: ThumbnailRig.photographed + 1),
        ]
        #expect(Set(others.map(\.cacheKey) + [key]).count == 5)
    }

    @Test("A manager loads a thumbnail like any image")
    func manager() async throws {
        let (bench, rig) = (try Bench(), try ThumbnailRig())
        let provider = DesktopThumbnailProvider(fileURL: rig.file, size: .normal, repository: rig.repository)
        let result = try await bench.retrieve(.provider(provider), [.cacheMemoryOnly]).get()
        #expect(result.image.size == CGSize(width: 128, height: 85))
        #expect(bench.filesOnDisk.isEmpty && rig.entries.count == 1)
    }
}

/// Permissions do not stop root, so this test needs another user.
@Suite(.enabled(if: geteuid() != 0, "needs an ordinary user"))
struct ThumbnailOrdinaryUserTests {
    @Test("No stored thumbnail is supplied of a file that the user may not read")
    func unreadable() async throws {
        let rig = try ThumbnailRig()
        let thumbnail = try await rig.load()
        #expect(try await rig.load() == thumbnail && rig.entries.count == 1)
        try #require(chmod(rig.file.path, 0) == 0)
        #expect(await rig.failure() == .unreadable)
    }
}

/// Recognizes a format and decodes none of it.
private struct FailingCodec: ImageCodec {
    let format = ImageFormat(name: "FAILING")

    func matches(_ prefix: UnsafeRawBufferPointer) -> Bool { prefix.starts(with: Array("FAILING".utf8)) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        throw .unsupported("test")
    }
}
