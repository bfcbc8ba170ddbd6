import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import TestHelpers
import Testing

/// The format's own tools, from libavif-bin.
enum Tools {
    static let arePresent = ["avifenc", "avifdec"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    /// Encodes frames with avifenc: losslessly coded samples, unless `arguments` say otherwise.
    static func encode(_ frames: [PixelBuffer], _ arguments: String...) throws -> Data {
        try encode(frames, arguments)
    }

    static func encode(_ frames: [PixelBuffer], _ arguments: [String]) throws -> Data {
        try inFolder { folder in
            var names: [String] = []
            for (number, frame) in frames.enumerated() {
                let file = folder.appendingPathComponent("\(number).png")
                try png.encode(frame, options: ImageEncodingOptions()).write(to: file)
                names.append(file.path)
            }
            let target = folder.appendingPathComponent("result.avif")
            try run("avifenc", ["-s", "10"] + arguments + names + [target.path])
            return try Data(contentsOf: target)
        }
    }

    /// `layers` says that the frame is a layer of a progressive still.
    static func decode(_ file: Data, frame: Int = 0, layers: Bool = false) throws -> PixelBuffer {
        try inFolder { folder in
            let source = folder.appendingPathComponent("source.avif")
            let target = folder.appendingPathComponent("result.png")
            try file.write(to: source)
            let options = layers ? ["--progressive"] : []
            try run("avifdec", options + ["--index", "\(frame)", source.path, target.path])
            return try png.decode(Data(contentsOf: target), minimumSize: nil)
        }
    }

    private static var png: any ImageCodec {
        get throws { try #require(CodecRegistry.builtIn.codec(for: .PNG)) }
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
            "avif-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
