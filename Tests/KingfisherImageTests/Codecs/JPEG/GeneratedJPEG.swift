import Foundation
import JPEGWriter
import KingfisherTestSupport

/// A JPEG file with random sampling factors, quality, tables, restarts, metadata, size and pixels.
enum GeneratedJPEG {
    /// The same number gives the same file.
    static func file(_ number: Int, isProgressive: Bool = false) -> Data? {
        var generator = SeededGenerator(seed: UInt64(number))
        var options = jpeg_writer_options()
        // Large files are decoded by several streams.
        let most = [16, 16, 200, 200, 200, 1_200].randomElement(using: &generator) ?? 16
        options.width = .random(in: 1...UInt32(most), using: &generator)
        options.height = .random(in: 1...UInt32(most), using: &generator)
        options.components = Int.random(in: 0..<5, using: &generator) == 0 ? 1 : 3
        func factor() -> Int32 { .random(in: 1...2, using: &generator) }
        options.horizontal = (factor(), factor(), factor())
        options.vertical = (factor(), factor(), factor())
        options.quality = .random(in: 1...100, using: &generator)
        options.restart_interval =
            Bool.random(using: &generator) ? 0 : .random(in: 1...64, using: &generator)
        options.has_optimized_tables = .random(using: &generator)
        options.has_jfif = .random(using: &generator)
        options.has_adobe = .random(using: &generator)
        options.has_exif = .random(using: &generator)
        options.contrast = [0, 2, 8, 30, 90].randomElement(using: &generator) ?? 0
        options.seed = generator.next()
        options.is_progressive = isProgressive
        var count = 0
        guard let bytes = jpeg_writer_write(options, &count) else { return nil }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}
