import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization

/// The files that the server sends: the fixtures, and conversions of them to other formats.
final class PhotoFiles: Sendable {
    private let written = Mutex<[Photo: Data]>([:])

    var progressive: Data {
        get throws { try Fixtures.data(named: "Progressive/photo.jpg") }
    }

    /// The file of `photo`; a conversion is made on first use and then reused.
    func bytes(of photo: Photo) throws -> Data {
        let fixture = try Fixtures.data(named: "Photos/\(photo.fixture)")
        guard let format = photo.format else { return fixture }
        return try written.withLock { written in
            if let bytes = written[photo] { return bytes }
            guard
                let image = KingfisherWrapper<Image>.image(data: fixture, options: ImageCreatingOptions())
            else { throw Failure("cannot decode \(photo.fixture)") }
            // Drawings are encoded without loss.
            let isLossless = photo.fixture.hasSuffix(".png")
            let bytes = try image.encoded(
                as: format, options: ImageEncodingOptions(quality: 0.8, isLossless: isLossless))
            written[photo] = bytes
            return bytes
        }
    }
}
