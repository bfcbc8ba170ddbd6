import KingfisherDigests
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

/// The version of a file that a thumbnail shows, as the thumbnail records it.
struct ThumbnailSubject: Hashable, Sendable {
    let uri: String
    let version: FileVersion

    init(_ path: LocalFilePath, _ version: FileVersion) {
        uri = path.uri
        self.version = version
    }

    /// The name of its thumbnails.
    var fileName: String { MD5.hexDigest(of: uri) + ".png" }

    /// The texts of every entry, also of those that record a failure.
    var texts: [PNGTextField] {
        [
            PNGTextField(Keyword.uri, uri), PNGTextField(Keyword.modified, String(version.seconds)),
            PNGTextField(Keyword.size, String(version.size)),
            PNGTextField("Software", "Kingfisher \(kingfisherVersion)"),
        ]
    }

    /// Texts about the whole image.
    static func texts(size: PixelSize, mediaType: String) -> [PNGTextField] {
        [
            PNGTextField("Thumb::Image::Width", String(size.width)),
            PNGTextField("Thumb::Image::Height", String(size.height)),
            PNGTextField("Thumb::Mimetype", mediaType),
        ]
    }

    /// Whether an entry with these texts was made from this version of the file.
    ///
    /// URI and modification time are required. The size of the file is optional; it finds a change within the
    /// second of the modification time.
    func matches(_ texts: [String: String]) -> Bool {
        // Some programs write a fraction after the seconds.
        let seconds = texts[Keyword.modified]?.prefix { $0 != "." }
        guard texts[Keyword.uri] == uri, seconds.flatMap({ Int($0) }) == version.seconds else { return false }
        return texts[Keyword.size].map { $0 == String(version.size) } ?? true
    }

    private enum Keyword {
        static let uri = "Thumb::URI"
        static let modified = "Thumb::MTime"
        static let size = "Thumb::Size"
    }
}
