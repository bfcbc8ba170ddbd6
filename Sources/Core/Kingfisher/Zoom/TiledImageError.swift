public import Foundation

/// Why a ``TiledImage`` cannot show its file, besides the errors of codecs. The error of a `KingfisherError`.
public enum TiledImageError: LocalizedError, Hashable {
    /// The file has another size or another time of change than when it was opened.
    case fileChanged
    /// The decoded tiles take `required` bytes on disk, and all open images of the process together may take
    /// `limit`.
    case tooManyTiles(required: Int, limit: Int)

    public var errorDescription: String? {
        switch self {
        case .fileChanged: "The file has changed since it was opened."
        case .tooManyTiles(let required, let limit):
            "The tiles need \(required) bytes on disk; all images together may use \(limit)."
        }
    }
}
