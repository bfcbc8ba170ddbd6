import Foundation
import Kingfisher

/// A photograph within an album: one file that holds many, one after another.
///
/// A provider is the seam for images that have no URL of their own, and the same on every system.
public struct AlbumPhoto: ImageDataProvider {
    public let album: URL
    /// Where in the file the photograph's bytes are.
    public let range: Range<UInt64>

    public init(album: URL, range: Range<UInt64>) {
        self.album = album
        self.range = range
    }

    public var cacheKey: String { "\(album.absoluteString)#\(range.lowerBound)-\(range.upperBound)" }

    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(Result { try read() })
        }
    }

    private func read() throws -> Data {
        let file = try FileHandle(forReadingFrom: album)
        defer { try? file.close() }
        try file.seek(toOffset: range.lowerBound)
        let data = try file.read(upToCount: range.count) ?? Data()
        guard data.count == range.count else { throw CocoaError(.fileReadCorruptFile) }
        return data
    }
}
