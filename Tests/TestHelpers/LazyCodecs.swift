public import Foundation

/// Runs the program `LazyCodecs`, which is linked with all codecs.
public enum LazyCodecs {
    /// The lines that the program prints for `file`. With `hidden`, that library is an empty file, as if its
    /// package were missing.
    public static func decode(_ file: Data, with name: String, hiding hidden: String? = nil) throws
        -> [String]
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lazy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("source")
        try file.write(to: source)
        let process = Process()
        process.executableURL = try program
        process.arguments = [name, source.path]
        if let hidden {
            try Data().write(to: folder.appendingPathComponent(hidden))
            var environment = ProcessInfo.processInfo.environment
            environment["LD_LIBRARY_PATH"] = folder.path
            process.environment = environment
        }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The libraries with which the program starts, by `ldd`.
    public static func linkedLibraries() throws -> String {
        try String(decoding: TestTools.run("ldd", [program.path]), as: UTF8.self)
    }

    /// Beside the test runner.
    private static var program: URL {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: "LazyCodecs")
        }
    }
}
