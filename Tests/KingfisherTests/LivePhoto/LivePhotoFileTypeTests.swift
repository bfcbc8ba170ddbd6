@testable import Kingfisher
import Foundation
import Testing
import TestHelpers

@Suite struct LivePhotoFileTypeTests {
    private typealias FileType = LivePhotoResource.FileType

    private func resource(_ path: String, _ type: LivePhotoResource.FileType? = nil) throws
        -> LivePhotoResource
    {
        LivePhotoResource(
            downloadURL: try #require(URL(string: "https://example.com/\(path)")), fileType: type)
    }

    @Test(
        "An explicit type takes precedence; otherwise the URL's extension gives it, in any case",
        .behaviours("L-1"))
    func referenceType() throws {
        let table: [(String, LivePhotoResource.FileType)] = [
            ("a.heic", .heic), ("a.HEIC", .heic), ("a.mov", .mov), ("a.MoV?size=2", .mov),
            ("a.JPG", .other("jpg")), ("a", .other("")), ("a.b/c", .other("")),
        ]
        for (path, type) in table { #expect(try resource(path).referenceFileType == type, "\(path)") }
        #expect(try resource("a.heic", .mov).referenceFileType == .mov)
        #expect(try resource("a.heic", .other("x")).referenceFileType == .other("x"))
        let provider = Source.provider(RawImageDataProvider(data: Data(), cacheKey: "a.mov"))
        #expect(LivePhotoResource(source: provider).referenceFileType == .other(""))
        let file = LivePhotoResource(resource: URL(filePath: "/tmp/a.mov"))
        #expect(file.referenceFileType == .mov)
        guard case .provider = file.dataSource else { return #expect(Bool(false), "\(file.dataSource)") }
    }

    @Test("The signature gives the type of data without a type or extension", .behaviours("L-1"))
    func signature() {
        let box = Data([0, 0, 0, 24])
        let table: [(Data, String?)] = [
            (box + Data("ftypheic".utf8) + Data(count: 9), "heic"), (box + Data("ftypqt  ".utf8), "mov"),
            (box + Data("ftypmif1".utf8), nil), (box + Data("moovheic".utf8), nil),
            (box + Data("ftyphei".utf8), nil), (Data(), nil), (Data(count: 40), nil),
        ]
        for (data, name) in table {
            #expect(FileType.other("").storedExtension(of: data) == name)
            // The indices of a slice do not start at 0.
            #expect(FileType.other("").storedExtension(of: (Data([9]) + data).dropFirst()) == name)
            // A known type takes precedence over the signature.
            #expect(FileType.heic.storedExtension(of: data) == "heic")
            #expect(FileType.mov.storedExtension(of: data) == "mov")
            #expect(FileType.other("jpg").storedExtension(of: data) == "jpg")
        }
    }

    @Test("A source keeps the order of its resources")
    func sources() throws {
        let urls = try ["b.mov", "a.heic"].map { try #require(URL(string: "https://example.com/\($0)")) }
        #expect(LivePhotoSource(urls: urls).resources.map(\.referenceFileType) == [.mov, .heic])
        let resources = urls.map { KF.ImageResource(downloadURL: $0, cacheKey: $0.lastPathComponent) }
        let source = LivePhotoSource(resources: resources)
        #expect(source.resources.map(\.dataSource.cacheKey) == ["b.mov", "a.heic"])
        #expect(LivePhotoSource(source.resources).resources.count == 2)
    }
}
