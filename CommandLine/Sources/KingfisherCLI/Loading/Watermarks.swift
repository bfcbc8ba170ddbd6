import Foundation
import Glibc
import Kingfisher

/// The images of `watermark` steps, whose names are paths of files.
struct Watermarks {
    private let marks: [String: WatermarkImageProcessor.Mark]

    /// Reads and decodes the files; throws a `WatermarkError`.
    init(of steps: [ProcessingStep]) throws(WatermarkError) {
        var marks: [String: WatermarkImageProcessor.Mark] = [:]
        for name in steps.watermarkNames.sorted() {
            let url: URL
            do {
                guard case .file(let file) = try SourceArgument(name, relativeTo: .currentFolder) else {
                    throw SourceArgumentError.invalidURL
                }
                url = file
                let image = try Image.decode(InputFile.bytes(of: url.path))
                // The key changes with the file.
                marks[name] = WatermarkImageProcessor.Mark(image, name: SourceArgument.key(ofFile: url))
            } catch {
                throw WatermarkError(name: name, reason: ErrorText(error).message)
            }
        }
        self.marks = marks
    }

    func processor(of steps: [ProcessingStep]) -> (any ImageProcessor)? {
        steps.processor(watermarks: marks)
    }
}

struct WatermarkError: Error {
    let name: String
    let reason: String
}
