public import Foundation
public import KingfisherImage

/// Programs of other packages that tests compare with.
public enum TestTools {
    /// Whether all of these are installed in /usr/bin.
    public static func arePresent(_ names: String...) -> Bool {
        names.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    }

    /// Runs a program of /usr/bin; throws if its status is not 0. Returns its standard output.
    @discardableResult
    public static func run(_ tool: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(tool)")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ToolError(tool: tool, arguments: arguments) }
        return output
    }

    public struct ToolError: Error {
        public let tool: String
        public let arguments: [String]
    }

    /// Calls `body` with a temporary folder, which is removed afterwards.
    public static func inFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tools-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// Writes a file with the suffix `from`, calls `body` with its path and a path with the suffix `to`, and
    /// returns the contents of the second file then.
    public static func convert(
        _ file: Data, from: String, to: String, _ body: (_ source: String, _ target: String) throws -> Void
    ) throws -> Data {
        try inFolder { folder in
            let source = folder.appendingPathComponent("source.\(from)")
            let target = folder.appendingPathComponent("result.\(to)")
            try file.write(to: source)
            try body(source.path, target.path)
            return try Data(contentsOf: target)
        }
    }

    /// The library's PNG codec, for files that programs read or write.
    public static var png: any ImageCodec {
        get throws {
            guard let codec = CodecRegistry.builtIn.codec(for: .PNG) else {
                throw CocoaError(.featureUnsupported)
            }
            return codec
        }
    }
}

extension Data {
    /// Replaces the bytes from `offset` after the first occurrence of `marker`.
    public func replacing(_ marker: String, at offset: Int, with bytes: [UInt8]) throws -> Data {
        guard let found = firstRange(of: Data(marker.utf8)) else { throw CocoaError(.fileReadCorruptFile) }
        return replacing(bytes, at: found.upperBound + offset)
    }

    public func replacing(_ bytes: [UInt8], at offset: Int) -> Data {
        var copy = self
        copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return copy
    }

    /// Replaces one to four bytes at random, in `range` or anywhere.
    public mutating func corrupt(in range: Range<Int>? = nil, using random: inout some RandomNumberGenerator)
    {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: range ?? 0..<count, using: &random)
            self[place] = UInt8.random(in: 0...255, using: &random)
        }
    }
}
