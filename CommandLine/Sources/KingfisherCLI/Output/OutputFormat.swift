import ArgumentParser
import Kingfisher

/// A format that the tool writes.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case png, jpeg, gif

    /// The format that a file name's extension means.
    init?(extension text: String) {
        switch text.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg", "jpe": self = .jpeg
        case "gif": self = .gif
        default: return nil
        }
    }

    init?(_ format: ImageFormat) {
        switch format {
        case .PNG: self = .png
        case .JPEG: self = .jpeg
        case .GIF: self = .gif
        default: return nil
        }
    }

    var imageFormat: ImageFormat {
        switch self {
        case .png: .PNG
        case .jpeg: .JPEG
        case .gif: .GIF
        }
    }

    var fileExtension: String {
        self == .jpeg ? "jpg" : rawValue
    }
}
