public import Foundation
public import KingfisherImage

/// Pixels as rows of samples, RGBA.
public struct PixelGrid: Equatable, Sendable {
    public var rows: [[[Int]]]

    public init(rows: [[[Int]]]) { self.rows = rows }

    public init(_ pixels: PixelBuffer) throws {
        let alpha: PixelFormat.Alpha = pixels.format.isOpaque ? .opaque : .straight
        let pixels = try pixels.converted(
            to: PixelFormat(layout: .rgba, depth: pixels.format.depth, alpha: alpha))
        rows = (0..<pixels.height).map { y in
            (0..<pixels.width).map { x in pixels.samples(x: x, y: y) ?? [] }
        }
    }

    /// Turned 90 degrees anticlockwise: the last column becomes the first row.
    public var turnedLeft: PixelGrid {
        let width = rows.first?.count ?? 0
        return PixelGrid(rows: (0..<width).map { row in rows.map { $0[width - 1 - row] } })
    }

    public var upsideDown: PixelGrid { PixelGrid(rows: rows.reversed()) }
    public var leftRight: PixelGrid { PixelGrid(rows: rows.map { $0.reversed() }) }

    public func cropped(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> PixelGrid {
        PixelGrid(rows: rows[top..<top + height].map { Array($0[left..<left + width]) })
    }

    /// The largest difference of a sample; nil for different sizes.
    public func distance(to other: PixelGrid) -> Int? {
        guard rows.count == other.rows.count, rows.first?.count == other.rows.first?.count else { return nil }
        return zip(rows.joined().joined(), other.rows.joined().joined()).reduce(0) {
            max($0, abs($1.0 - $1.1))
        }
    }

    /// Peak signal to noise ratio over all samples, in decibels; 0 for different sizes.
    public func decibels(to other: PixelGrid, peak: Double = 255) -> Double {
        guard rows.count == other.rows.count, rows.first?.count == other.rows.first?.count else { return 0 }
        let pairs = zip(rows.joined().joined(), other.rows.joined().joined())
        let squares = pairs.map { Double(($0.0 - $0.1) * ($0.0 - $0.1)) }
        let mean = squares.reduce(0, +) / Double(max(squares.count, 1))
        return mean == 0 ? 200 : 10 * log10(peak * peak / mean)
    }
}

/// Images for tests of codecs.
public enum TestImages {
    /// Gradients that differ along both axes and per channel, so that every turn changes them.
    public static func gradients(
        _ width: Int = 64, _ height: Int = 48, depth: PixelFormat.Depth = .eight, alpha: Bool = false
    ) throws -> PixelBuffer {
        try make(width, height, depth, alpha: alpha) { x, y in
            [
                Double(x) / Double(width), Double(y) / Double(height), Double((x * 2 + y) % 40) / 40,
                alpha ? Double(x + y) / Double(width + height) : 1,
            ]
        }
    }

    /// Waves that are longer than the filters of chroma and of scaling.
    public static func smooth(
        _ width: Int, _ height: Int, depth: PixelFormat.Depth = .eight, isGray: Bool = false,
        alpha: Bool = false
    ) throws -> PixelBuffer {
        try make(width, height, depth, alpha: alpha) { x, y in
            let red = 0.5 + 0.4 * sin(Double(x) / 20)
            guard !isGray else { return [red, red, red, 1] }
            return [
                red, 0.5 + 0.4 * sin(Double(y) / 25), 0.5 + 0.4 * cos(Double(x + y) / 30),
                alpha ? 0.6 + 0.4 * sin(Double(x - y) / 40) : 1,
            ]
        }
    }

    private static func make(
        _ width: Int, _ height: Int, _ depth: PixelFormat.Depth, alpha: Bool,
        _ color: (Int, Int) -> [Double]
    ) throws -> PixelBuffer {
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: alpha ? .straight : .opaque)
        return try PixelBuffer(width: width, height: height, format: format) { rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    for (channel, value) in color(x, y).enumerated() {
                        let offset = y * bytesPerRow + (x * 4 + channel) * depth.rawValue / 8
                        if depth == .eight {
                            rows[offset] = UInt8(value * 255)
                        } else {
                            rows.storeBytes(of: UInt16(value * 65_535), toByteOffset: offset, as: UInt16.self)
                        }
                    }
                }
            }
        }
    }
}

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
        var copy = self
        let start = found.upperBound + offset
        copy.replaceSubrange(start..<start + bytes.count, with: bytes)
        return copy
    }
}
