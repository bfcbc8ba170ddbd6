import Foundation
import Kingfisher
import Testing

@testable import SharedCode

/// Tests of the shared code, which also do not depend on the platform.
@Suite("Shared code") struct SharedCodeTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private let manager: KingfisherManager

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "shared-code"),
            cache: try ImageCache(name: "shared-code", cacheDirectoryURL: folder))
    }

    /// An album of two photos of 4 by 2 pixels each, after a header.
    private func album() throws -> (url: URL, first: Range<UInt64>, second: Range<UInt64>) {
        let photo = try #require(Data(base64Encoded: Self.photo))
        let header = Data("ALBUM 2\n".utf8)
        let url = folder.appendingPathComponent("holiday.album")
        try (header + photo + photo).write(to: url)
        let (start, length) = (UInt64(header.count), UInt64(photo.count))
        return (url, start..<start + length, start + length..<start + 2 * length)
    }

    @Test("A photo of an album becomes a card that the cache returns on the next load")
    func cards() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (url, first, second) = try album()
        let loader = CardLoader(size: CGSize(width: 2, height: 2), manager: manager)
        let photo = Source.provider(AlbumPhoto(album: url, range: second))

        let card = try await loader.card(of: photo)
        // Points: the card is 4 by 2 pixels at a scale of 2.
        #expect(card.size == CGSize(width: 2, height: 1))

        let again = try await manager.retrieveImage(with: photo, options: loader.options)
        #expect(again.cacheType == .memory)
        manager.cache.clearMemoryCache()
        let stored = try await manager.retrieveImage(with: photo, options: loader.options)
        #expect(stored.cacheType == .disk)
        let other = Source.provider(AlbumPhoto(album: url, range: first))
        #expect(try await manager.retrieveImage(with: other, options: loader.options).cacheType == .none)
    }

    @Test("A malformed album range fails with an error")
    func damaged() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (url, first, second) = try album()
        let loader = CardLoader(size: CGSize(width: 2, height: 2), manager: manager)
        let beyond = Source.provider(AlbumPhoto(album: url, range: second.lowerBound..<second.upperBound + 1))
        await #expect(throws: KingfisherError.self) { try await loader.card(of: beyond) }
        let header = Source.provider(AlbumPhoto(album: url, range: 0..<first.upperBound))
        await #expect(throws: KingfisherError.self) { try await loader.card(of: header) }
    }

    @Test("A view shows the loaded card") @MainActor
    func view() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (url, first, _) = try album()
        let loader = CardLoader(size: CGSize(width: 2, height: 2), manager: manager)
        let view = KFCrossPlatformImageView()
        let result = await withCheckedContinuation { done in
            loader.show(.provider(AlbumPhoto(album: url, range: first)), in: view) {
                done.resume(returning: $0)
            }
        }
        #expect(try result.get().image === view.image)
        #expect(view.image?.size == CGSize(width: 2, height: 1))
    }

    private static let photo =
        "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAFUlEQVR42mM4IScHRHILbICIAZkDAGpaB/m5x9vsAA"
        + "AAAElFTkSuQmCC"
}
