import Foundation
import KingfisherGTK
import KingfisherTestSupport

/// A folder of photos. The left half of number n has the colour `color(n)`.
struct Photos {
    let urls: [URL]

    /// Writes `count` JPEG files, made of the photographs of the fixtures.
    static func write(_ count: Int, to folder: URL) async throws -> Photos {
        let names = ["astronaut", "chelsea", "coffee", "hubble", "retina", "rocket"]
        let sources = try names.map { name in
            let data = try Fixtures.data(named: "Photos/\(name).jpg")
            guard let image = KingfisherWrapper<Image>.image(data: data, options: ImageCreatingOptions())
            else { throw CocoaError(.fileReadCorruptFile) }
            return image
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let urls = (0..<count).map { folder.appending(path: "\($0).jpg") }
        try await withThrowingTaskGroup { group in
            for start in 0..<8 {
                group.addTask {
                    for number in stride(from: start, to: count, by: 8) {
                        try marked(sources[number % sources.count], number).write(to: urls[number])
                        // The thumbnail of a file that has just changed is not stored.
                        try FileManager.default.setAttributes(
                            [.modificationDate: Date(timeIntervalSinceNow: -3600)],
                            ofItemAtPath: urls[number].path)
                    }
                }
            }
            try await group.waitForAll()
        }
        return Photos(urls: urls)
    }

    /// The number that is encoded in the left half of an image.
    static func number(of image: Image) -> Int? {
        guard let pixels = image.pixels,
            let color = pixels.samples(x: pixels.width / 4, y: pixels.height / 2)
        else { return nil }
        // Steps of 14 are more than the errors of JPEG.
        let digits = color.prefix(3).map { ($0 + 7) / 14 }
        return digits[0] + digits[1] * 18 + digits[2] * 324
    }

    private static func marked(_ image: Image, _ number: Int) throws -> Data {
        guard let source = image.pixels else { throw CocoaError(.fileReadCorruptFile) }
        let channels = source.format.bytesPerPixel
        let color = [number % 18, number / 18 % 18, number / 324, 17].map { UInt8(min($0 * 14, 255)) }
        let left = (0..<source.width / 2).flatMap { _ in color.prefix(channels) }
        let pixels = try PixelBuffer(width: source.width, height: source.height, format: source.format) {
            rows, bytesPerRow in
            source.withUnsafeBytes { bytes in
                for y in 0..<source.height {
                    let row = UnsafeMutableRawBufferPointer(
                        rebasing: rows[y * bytesPerRow..<(y + 1) * bytesPerRow])
                    row.copyMemory(
                        from: UnsafeRawBufferPointer(
                            rebasing: bytes[y * source.bytesPerRow..<(y + 1) * source.bytesPerRow]))
                    row.copyBytes(from: left)
                }
            }
        }
        guard let data = Image(pixels: pixels).kf.jpegRepresentation(compressionQuality: 0.9)
        else { throw CocoaError(.fileWriteUnknown) }
        return data
    }
}
