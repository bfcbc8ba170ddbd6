import Foundation
import KingfisherImage
import KingfisherIsolation
import KingfisherTestSupport
import KingfisherVideo
import TestHelpers

/// The decoder beside the test runner.
enum Videos {
    static let pool = pool("kingfisher-decoder")

    static func pool(_ program: String, _ change: (inout DecoderSettings) -> Void = { _ in }) -> DecoderPool {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        var settings = DecoderSettings()
        settings.executable = (tests as NSString).deletingLastPathComponent + "/" + program
        // A sanitizer needs more calls and more memory.
        if ProcessStatus.isSanitized { settings.requiredLockDown = [] }
        change(&settings)
        return DecoderPool(settings: settings)
    }

    static func url(_ name: String) -> URL { Fixtures.url(named: "Video/" + name) }

    /// Runs `body` with a new folder.
    static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = TestFolders.unused()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    static func generator(_ url: URL) -> VideoFrameGenerator {
        var generator = VideoFrameGenerator(asset: url)
        generator.pool = pool
        return generator
    }

    static func frame(_ name: String, at seconds: Double) async throws -> PixelBuffer? {
        try await generator(url(name)).image(at: seconds).pixels
    }

    /// A frame as the program ffmpeg decodes it.
    static func reference(_ name: String, _ number: Int) throws -> PixelBuffer? {
        let base = name.prefix { $0 != "." }
        return try Image.decode(Fixtures.data(named: "Video/\(base)-\(number).png")).pixels
    }

    /// Decibels; `infinity` for equal frames.
    static func psnr(_ frame: PixelBuffer?, _ reference: PixelBuffer?) -> Double {
        PixelDifference(frame, reference)?.psnr ?? 0
    }
}
