import Foundation
import Kingfisher

/// A photo in an album: one file that holds many photos one after another.
///
/// An image data provider loads images that have no URL, in the same way on every platform.
public struct AlbumPhoto: ImageDataProvider {
    public let album: URL
    /// The byte range of the photo in the file.
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
