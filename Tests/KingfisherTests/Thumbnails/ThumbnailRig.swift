import Foundation
import Glibc
import KingfisherStorage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// A photograph of 512 x 341 pixels from 2020, and an empty thumbnail cache.
struct ThumbnailRig {
    static let photographed = Date(timeIntervalSince1970: 1_600_000_000)

    let temporary: TemporaryFolder
    let file: URL
    let repository: ThumbnailRepository

    init(
        _ photo: String = "Photos/coffee.jpg", clock: any StorageClock = WallClock(),
        intercept: FileSystem.Intercept? = nil
    ) throws {
        temporary = try TemporaryFolder()
        file = temporary.url.appending(path: "photo.image")
        try FileManager.default.copyItem(at: Fixtures.url(named: photo), to: file)
        try Self.setModificationDate(Self.photographed, of: file)
        repository = ThumbnailRepository(
            folder: temporary.url.path + "/cache/thumbnails", fileSystem: FileSystem(intercept: intercept),
            clock: clock)
    }

    static func setModificationDate(_ date: Date, of file: URL) throws {
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }

    var folder: URL { temporary.url.appending(path: "cache/thumbnails") }

    func load(_ size: DesktopThumbnailSize = .large, of file: URL? = nil) async throws -> Data {
        try await DesktopThumbnailProvider(fileURL: file ?? self.file, size: size, repository: repository)
            .data()
    }

    /// The error of a load.
    func failure(of file: URL? = nil) async -> DesktopThumbnailProvider.DesktopThumbnailError? {
        do {
            _ = try await load(of: file)
            return nil
        } catch {
            return error as? DesktopThumbnailProvider.DesktopThumbnailError
        }
    }

    /// Where the thumbnail of the photograph is stored.
    func entry(_ size: String = "large") throws -> URL {
        let path = try #require(LocalFilePath(file))
        let subject = ThumbnailSubject(path, try #require(path.withCString { FileVersion(path: $0) }))
        return folder.appending(path: "\(size)/\(subject.fileName)")
    }

    var entries: [String] {
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let files = (found?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
        return files.map { $0.pathComponents.dropFirst(folder.pathComponents.count).joined(separator: "/") }
            .sorted()
    }

    /// A transparent PNG as another program would store it, with these texts in tEXt chunks.
    static func foreign(side: Int = 256, _ texts: KeyValuePairs<String, String>) -> Data {
        let png = HostileFile.clearPNG(side: side, bitsPerSample: 8)
        let header = 33
        return png.prefix(header)
            + texts.reduce(Data()) { chunks, text in
                chunks + HostileFile.pngChunk("tEXt", Data("\(text.key)\0\(text.value)".utf8))
            } + png.dropFirst(header)
    }

    /// Stores the bytes as the thumbnail of the photograph.
    func store(_ data: Data, as size: String = "large") throws {
        let entry = try entry(size)
        try FileManager.default.createDirectory(
            at: entry.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: entry)
    }

    /// The texts in the tEXt chunks of a PNG.
    static func texts(of png: Data) -> [String: String] {
        var texts: [String: String] = [:]
        var rest = png.dropFirst(8)
        while rest.count >= 12 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            if type == "tEXt" {
                let parts = rest.dropFirst(8).prefix(length).split(separator: 0, maxSplits: 1)
                texts[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts[1], as: UTF8.self)
            }
            rest = rest.dropFirst(12 + length)
        }
        return texts
    }

    static func mode(of url: URL) -> mode_t {
        var status = stat()
        return stat(url.path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}
