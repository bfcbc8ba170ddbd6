import Foundation
import KingfisherCodecSupport
import KingfisherSVG

enum Samples {
    static let codec = SVGCodec()

    static func file(_ body: String = "", attributes: String = #"width="24" height="16""#) -> Data {
        Data(#"<svg xmlns="http://www.w3.org/2000/svg" \#(attributes)>\#(body)</svg>"#.utf8)
    }

    /// Shapes with curves, a gradient, transparency and text.
    static let drawing = file(
        """
        <defs><linearGradient id="g"><stop stop-color="#08f"/><stop offset="1" stop-color="#f80"/>
        </linearGradient></defs>
        <rect x="2" y="2" width="60" height="36" rx="8" fill="url(#g)"/>
        <circle cx="32" cy="20" r="12" fill="#fff" fill-opacity="0.5" stroke="#000" stroke-width="1.5"/>
        <text x="8" y="34" font-family="DejaVu Sans" font-size="9">Kingfisher</text>
        """, attributes: #"viewBox="0 0 64 40" width="64" height="40""#)

    /// A document with this number of circles.
    static func circles(_ count: Int) -> Data {
        file(
            (0..<count).map { #"<circle cx="\#($0 % 64)" cy="\#($0 % 48)" r="3" fill="teal"/>"# }
                .joined(), attributes: #"width="64" height="48""#)
    }

    static func gzip(_ data: Data) throws -> Data {
        try run("/usr/bin/gzip", ["-c"], input: data)
    }

    static func run(_ program: String, _ arguments: [String], input: Data) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appending(path: "svg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: "input")
        try input.write(to: source)
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: source)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
        return data
    }
}

extension PixelBuffer {
    /// The bytes of a row, without padding.
    func row(_ y: Int) -> [UInt8] {
        withUnsafeBytes { bytes in
            Array(bytes[y * bytesPerRow..<y * bytesPerRow + width * format.bytesPerPixel])
        }
    }

    /// The rows of RGBA pixels, multiplied by alpha.
    var premultipliedRows: [[UInt8]] {
        (0..<height).map { y in
            var row = row(y)
            guard format.alpha == .straight else { return row }
            for index in row.indices where index % 4 < 3 {
                row[index] = UInt8((Int(row[index]) * Int(row[index | 3]) + 127) / 255)
            }
            return row
        }
    }
}
