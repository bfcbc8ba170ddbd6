import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization

/// The files that the server sends: the fixtures, and what this program has written of them in other formats.
final class PhotoFiles: Sendable {
    private let written = Mutex<[Photo: Data]>([:])

    /// A photograph in ten scans.
    var progressive: Data {
        get throws { try Fixtures.data(named: "Progressive/photo.jpg") }
    }

    /// The same bytes each time; another format is written when it is asked for first.
    func bytes(of photo: Photo) throws -> Data {
        let fixture = try Fixtures.data(named: "Photos/\(photo.fixture)")
        guard let format = photo.format else { return fixture }
        return try written.withLock { written in
            if let bytes = written[photo] { return bytes }
            guard
                let image = KingfisherWrapper<Image>.image(data: fixture, options: ImageCreatingOptions())
            else { throw Failure("\(photo.fixture) is no image") }
            // Drawings stay as sharp as they are.
            let isLossless = photo.fixture.hasSuffix(".png")
            let bytes = try image.encoded(
                as: format, options: ImageEncodingOptions(quality: 0.8, isLossless: isLossless))
            written[photo] = bytes
            return bytes
        }
    }
}
