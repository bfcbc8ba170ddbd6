import Foundation
import Kingfisher

/// Decodes one file to a size through the manager, as the first image of a program, and ends; the peer is
/// `first_image.c`. The caches are the default ones.
///
///     FirstImage FILE SIDE
@main enum FirstImage {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let side = Int(arguments[2]) else {
            FileHandle.standardError.write(Data("usage: FirstImage FILE SIDE\n".utf8))
            exit(1)
        }
        let processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
        let result = try await KingfisherManager.shared.retrieveImage(
            with: URL(filePath: arguments[1]), options: [.processor(processor)])
        print(Int(result.image.size.width), Int(result.image.size.height))
    }
}
