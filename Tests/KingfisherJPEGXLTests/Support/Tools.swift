import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import TestHelpers
import Testing

/// The format's own tools, from libjxl-tools.
enum Tools {
    static let arePresent = ["cjxl", "djxl"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    /// The option of cjxl for noise of ISO 800, which has another name since 0.8.
    static let noise =
        JPEGXLCodec().version.hasPrefix("libjxl 0.7.") ? "--photon_noise=ISO800" : "--photon_noise_iso=800"

    /// Encodes with cjxl: without loss, unless `arguments` say otherwise.
    static func encode(_ image: PixelBuffer, _ arguments: String...) throws -> Data {
        try encode(png(image), "png", arguments)
    }

    static func encode(_ image: PixelBuffer, _ arguments: [String]) throws -> Data {
        try encode(png(image), "png", arguments)
    }

    /// Encodes a file that cjxl reads, such as GIF, APNG, JPEG or PFM.
    static func encode(_ file: Data, _ suffix: String, _ arguments: [String] = []) throws -> Data {
        try inFolder { folder in
            let source = folder.appendingPathComponent("source.\(suffix)")
            let target = folder.appendingPathComponent("result.jxl")
            try file.write(to: source)
            let loss = arguments.contains("-d") || suffix == "jpg" ? [] : ["-d", "0"]
            try run("cjxl", [source.path, target.path, "-e", "3", "--num_threads=0"] + loss + arguments)
            return try Data(contentsOf: target)
        }
    }

    /// What djxl makes of a file, as a PNG.
    static func decode(_ file: Data, _ arguments: String...) throws -> PixelBuffer {
        try inFolder { folder in
            let source = folder.appendingPathComponent("source.jxl")
            let target = folder.appendingPathComponent("result.png")
            try file.write(to: source)
            try run("djxl", [source.path, target.path, "--num_threads=0"] + arguments)
            return try codec(.PNG).decode(Data(contentsOf: target), minimumSize: nil)
        }
    }

    /// The frames that djxl writes as an APNG; nil for a still.
    static func frames(_ file: Data) throws -> (any ImageFrameSource)? {
        try inFolder { folder in
            let source = folder.appendingPathComponent("source.jxl")
            let target = folder.appendingPathComponent("result.apng")
            try file.write(to: source)
            try run("djxl", [source.path, target.path])
            let data = try Data(contentsOf: target)
            return try #require(CodecRegistry.builtIn.codec(for: data)).frameSource(for: data)
        }
    }

    /// The JPEG that djxl restores.
    static func restore(_ file: Data) throws -> Data {
        try inFolder { folder in
            let source = folder.appendingPathComponent("source.jxl")
            let target = folder.appendingPathComponent("result.jpg")
            try file.write(to: source)
            try run("djxl", [source.path, target.path])
            return try Data(contentsOf: target)
        }
    }

    static func png(_ image: PixelBuffer) throws -> Data {
        try codec(.PNG).encode(image, options: ImageEncodingOptions())
    }

    /// A PAM, whose colour space a hint for cjxl may name.
    static func pam(_ image: PixelBuffer) throws -> Data {
        let channels = image.format.layout == .rgba ? 3 : 1
        let alpha = image.format.isOpaque ? 0 : 1
        let type = (channels == 3 ? "RGB" : "GRAYSCALE") + (alpha > 0 ? "_ALPHA" : "")
        var file = Data(
            "P7\nWIDTH \(image.width)\nHEIGHT \(image.height)\nDEPTH \(channels + alpha)\nMAXVAL 255\n".utf8)
        file += Data("TUPLTYPE \(type)\nENDHDR\n".utf8)
        for y in 0..<image.height {
            for x in 0..<image.width {
                let samples = try #require(image.samples(x: x, y: y))
                file += (samples.prefix(channels) + samples.suffix(alpha)).map { UInt8($0) }
            }
        }
        return file
    }

    static func jpeg(_ image: PixelBuffer) throws -> Data {
        try codec(.JPEG).encode(image, options: ImageEncodingOptions(quality: 0.8))
    }

    private static func codec(_ format: ImageFormat) throws -> any ImageCodec {
        try #require(CodecRegistry.builtIn.codec(for: format))
    }

    private static func run(_ tool: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(tool)")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ToolError(tool: tool, arguments: arguments) }
    }

    struct ToolError: Error {
        let tool: String
        let arguments: [String]
    }

    private static func inFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "jxl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
