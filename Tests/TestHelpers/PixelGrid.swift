public import Foundation
public import KingfisherImage
import KingfisherTestSupport

/// Samples of pixels, RGBA, row by row.
public struct PixelGrid: Equatable, Sendable {
    public let width: Int
    public let height: Int
    public private(set) var samples: [Int32]

    public init(_ pixels: PixelBuffer) throws {
        let alpha: PixelFormat.Alpha = pixels.format.isOpaque ? .opaque : .straight
        let pixels = try pixels.converted(
            to: PixelFormat(layout: .rgba, depth: pixels.format.depth, alpha: alpha))
        (width, height) = (pixels.width, pixels.height)
        samples = []
        samples.reserveCapacity(4 * width * height)
        for y in 0..<height {
            pixels.withUnsafeBytes { bytes in
                let row = UnsafeRawBufferPointer(rebasing: bytes[(y * pixels.bytesPerRow)...])
                if pixels.format.depth == .eight {
                    samples += row.prefix(4 * pixels.width).map(Int32.init)
                } else {
                    samples += row.bindMemory(to: UInt16.self).prefix(4 * pixels.width).map(Int32.init)
                }
            }
        }
    }

    private init(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> ArraySlice<Int32>) {
        (self.width, self.height) = (width, height)
        samples = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
    }

    public func pixel(x: Int, y: Int) -> ArraySlice<Int32> {
        samples[(y * width + x) * 4..<(y * width + x) * 4 + 4]
    }

    /// Turned 90 degrees anticlockwise: the last column becomes the first row.
    public var turnedLeft: PixelGrid {
        PixelGrid(height, width) { x, y in pixel(x: width - 1 - y, y: x) }
    }

    public var upsideDown: PixelGrid {
        PixelGrid(width, height) { x, y in pixel(x: x, y: height - 1 - y) }
    }

    public var leftRight: PixelGrid {
        PixelGrid(width, height) { x, y in pixel(x: width - 1 - x, y: y) }
    }

    public func cropped(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> PixelGrid {
        PixelGrid(width, height) { x, y in pixel(x: left + x, y: top + y) }
    }

    /// A channel as all four channels.
    public func channel(_ number: Int, dividedBy divisor: Int32 = 1) -> PixelGrid {
        PixelGrid(width, height) { x, y in
            ArraySlice(repeating: samples[(y * width + x) * 4 + number] / divisor, count: 4)
        }
    }

    /// Whether the pixels of the first `count` rows and columns are equal.
    public func begins(_ count: Int, as other: PixelGrid) -> Bool {
        (0..<count).allSatisfy { y in
            let (own, others) = (y * width * 4, y * other.width * 4)
            return samples[own..<own + count * 4] == other.samples[others..<others + count * 4]
        }
    }

    /// The largest difference of a sample; nil for different sizes. Alpha does not count if `ofColors`.
    public func distance(to other: PixelGrid, ofColors: Bool = false) -> Int? {
        guard width == other.width, height == other.height else { return nil }
        var largest: Int32 = 0
        for index in samples.indices where !ofColors || index & 3 != 3 {
            largest = max(largest, abs(samples[index] - other.samples[index]))
        }
        return Int(largest)
    }

    /// Peak signal to noise ratio over all samples, in decibels; 0 for different sizes.
    public func decibels(to other: PixelGrid, peak: Double = 255) -> Double {
        guard width == other.width, height == other.height else { return 0 }
        var squares = 0.0
        for index in samples.indices {
            let difference = Double(samples[index] - other.samples[index])
            squares += difference * difference
        }
        let mean = squares / Double(max(samples.count, 1))
        return mean == 0 ? 200 : 10 * log10(peak * peak / mean)
    }
}

extension PixelBuffer {
    /// An image of 8- or 16-bit samples in reading order.
    public static func make(
        _ samples: [Int], width: Int, format: PixelFormat = .rgba8Straight
    ) throws -> PixelBuffer {
        let perRow = width * format.layout.channels
        return try PixelBuffer(width: width, height: samples.count / perRow, format: format) {
            rows, bytesPerRow in
            for (index, sample) in samples.enumerated() {
                let (row, column) = (index / perRow * bytesPerRow, index % perRow)
                switch format.depth {
                case .eight: rows.storeBytes(of: UInt8(sample), toByteOffset: row + column, as: UInt8.self)
                case .sixteen:
                    rows.storeBytes(of: UInt16(sample), toByteOffset: row + column * 2, as: UInt16.self)
                }
            }
        }
    }

    public static func make(
        _ samples: [UInt8], width: Int, format: PixelFormat = .rgba8Straight
    ) throws -> PixelBuffer {
        try make(samples.map { Int($0) }, width: width, format: format)
    }

    /// All samples in reading order.
    public var allSamples: [Int] {
        (0..<height).flatMap { y in (0..<width).flatMap { x in samples(x: x, y: y) ?? [] } }
    }

    /// The bytes of the pixels without padding of rows.
    public var packedBytes: [UInt8] {
        withUnsafeBytes { bytes in
            (0..<height).flatMap { y in
                Array(bytes[y * bytesPerRow..<y * bytesPerRow + width * format.bytesPerPixel])
            }
        }
    }
}

/// Images for tests of codecs.
public enum TestImages {
    /// Gradients that differ along both axes and per channel, so that every turn changes them.
    public static func gradients(
        _ width: Int = 64, _ height: Int = 48, depth: PixelFormat.Depth = .eight, alpha: Bool = false,
        phase: Int = 0
    ) throws -> PixelBuffer {
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: alpha ? .straight : .opaque)
        return try make(width, height, format) { x, y in
            [
                Double(x) / Double(width), Double(y) / Double(height),
                Double((x * 2 + y + phase * 9) % 40) / 40, alpha ? Double(x + y) / Double(width + height) : 1,
            ]
        }
    }

    /// Waves that are longer than the filters of chroma and of scaling.
    public static func smooth(
        _ width: Int, _ height: Int, depth: PixelFormat.Depth = .eight, isGray: Bool = false,
        alpha: Bool = false
    ) throws -> PixelBuffer {
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: alpha ? .straight : .opaque)
        return try make(width, height, format) { x, y in
            let red = 0.5 + 0.4 * sin(Double(x) / 20)
            guard !isGray else { return [red, red, red, 1] }
            return [
                red, 0.5 + 0.4 * sin(Double(y) / 25), 0.5 + 0.4 * cos(Double(x + y) / 30),
                alpha ? 0.6 + 0.4 * sin(Double(x - y) / 40) : 1,
            ]
        }
    }

    /// A square of one opaque colour.
    public static func flat(_ color: [Double], _ side: Int = 64) throws -> PixelBuffer {
        try make(side, side, .rgba8Opaque) { _, _ in color + [1] }
    }

    /// A fixture of 48 by 32 pixels in RGBA without a header, by Tests/Fixtures/generate/color.py.
    public static func colors(named name: String) throws -> PixelBuffer {
        try .make([UInt8](Fixtures.data(named: "Color/\(name).rgba")), width: 48)
    }

    /// An image of colours, which have a value from 0 to 1 for each channel of the format.
    public static func make(
        _ width: Int, _ height: Int, _ format: PixelFormat, _ color: (_ x: Int, _ y: Int) -> [Double]
    ) throws -> PixelBuffer {
        let white = format.depth == .eight ? 255.0 : 65_535
        let samples: [Int] = (0..<height).flatMap { y in
            (0..<width).flatMap { x in color(x, y).map { Int($0 * white) } }
        }
        return try .make(samples, width: width, format: format)
    }
}

/// Frames of a list, for encoders of animations.
public struct ListedFrames: ImageFrameSource {
    public let frames: [PixelBuffer]
    public let durations: [Double]
    public let loopCount: Int

    public init(frames: [PixelBuffer], durations: [Double], loopCount: Int) {
        (self.frames, self.durations, self.loopCount) = (frames, durations, loopCount)
    }

    public var data: Data? { nil }
    public var frameCount: Int { frames.count }
    public func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        frames.indices.contains(index) ? frames[index] : nil
    }
    public func duration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : 0
    }
    public func copy() -> ListedFrames { self }
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

    /// Writes a file with the suffix `from`, calls `body` with its path and that of a file with the suffix
    /// `to`, and returns what the second file contains then.
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
        var copy = self
        let start = found.upperBound + offset
        copy.replaceSubrange(start..<start + bytes.count, with: bytes)
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
