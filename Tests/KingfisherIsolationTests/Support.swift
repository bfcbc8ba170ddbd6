import Foundation
import Glibc
import KingfisherFormats
import KingfisherImage
import KingfisherTestSupport
import TestHelpers

@testable import KingfisherIsolation

/// The programs beside the test runner.
enum Programs {
    static func path(_ name: String) -> String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (tests as NSString).deletingLastPathComponent + "/" + name
    }

    static let decoder = path("kingfisher-decoder")
    static let hostile = path("HostileDecoder")

    /// The number of open descriptors, after those have been opened that remain open, such as libdispatch's
    /// timers. For exit tests, because other tests open descriptors meanwhile.
    static func settledDescriptors() async throws -> Int {
        let pool = DecoderPool.of(decoder)
        _ = try pool.report()
        pool.endIdleProcesses()
        try await Task.sleep(for: .milliseconds(1))  // the first sleep opens the timer, which `poll` uses
        return ProcessStatus.openDescriptors
    }
}

enum Sandbox {
    /// Whether the system has Landlock, without which decoders with fonts do not run.
    static let hasLandlock: Bool = {
        let report = try? DecoderPool.of(Programs.decoder) { $0.requiredLockDown = [] }.report()
        return report?.lockDown.contains(.files) ?? false
    }()

    /// The formats that can be decoded here.
    static var codecs: [any CatalogCodec] {
        FormatCatalog.codecs.filter { $0.access == .nothing || hasLandlock }
    }
}

/// The format of `HostileDecoder`; its files are decoded there only.
struct HostileFormat: ImageCodec {
    let format = ImageFormat(name: "HOSTILE")

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: Array("hostile:".utf8)) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder { throw .unknownFormat }
}

extension DecoderPool {
    /// A pool with one process of a program, unless `change` says otherwise.
    static func of(_ program: String, _ change: (inout DecoderSettings) -> Void = { _ in }) -> DecoderPool {
        var settings = DecoderSettings()
        settings.executable = program
        settings.maximumProcesses = 1
        // A sanitizer needs more calls and more memory.
        if ProcessStatus.isSanitized {
            settings.requiredLockDown = []
            settings.requiredLockDownWithFonts = []
        }
        change(&settings)
        return DecoderPool(settings: settings)
    }
}

/// The error of a codec call; nil if it succeeds.
func failure(_ body: () throws(ImageCodecError) -> Void) -> ImageCodecError? {
    do throws(ImageCodecError) {
        try body()
        return nil
    } catch {
        return error
    }
}

/// Whether two images have the same pixels, apart from the padding of rows.
func same(_ one: PixelBuffer?, _ other: PixelBuffer?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    guard one.size == other.size, one.format == other.format, one.extent == other.extent else {
        return false
    }
    let count = one.width * one.format.bytesPerPixel
    return one.withUnsafeBytes { first in
        other.withUnsafeBytes { second in
            guard let first = first.baseAddress, let second = second.baseAddress else { return false }
            return (0..<one.height).allSatisfy { row in
                memcmp(first + row * one.bytesPerRow, second + row * other.bytesPerRow, count) == 0
            }
        }
    }
}
