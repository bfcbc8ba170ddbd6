import Foundation
import Glibc
import KingfisherWebP

/// Writes the decoded pixels: `WebPPixels FILE` prints a line `WIDTH HEIGHT FRAMES`, then the straight RGBA
/// rows of every frame.
let codec: any ImageCodec = WebPCodec()

/// Straight RGBA without padding, the only format of the decoder.
func rows(of pixels: PixelBuffer) throws -> Data {
    guard pixels.format == .rgba8Straight || pixels.format == .rgba8Opaque else {
        throw ImageCodecError.unsupported("comparing \(pixels.format)")
    }
    return pixels.withUnsafeBytes { bytes in
        var data = Data(capacity: pixels.size.area * 4)
        for y in 0..<pixels.height {
            data.append(contentsOf: bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + pixels.width * 4])
        }
        return data
    }
}

do {
    let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? ""))
    let decoder = try codec.open(EncodedFile(data))
    let first = try decoder.decode(.full)
    let source = try decoder.frames()
    let output = FileHandle.standardOutput
    output.write(Data("\(first.width) \(first.height) \(source?.frameCount ?? 1)\n".utf8))
    output.write(try rows(of: first))
    for number in 1..<max(source?.frameCount ?? 1, 1) {
        guard let frame = source?.frame(at: number) else { throw ImageCodecError.corrupt("frame \(number)") }
        output.write(try rows(of: frame))
    }
} catch {
    FileHandle.standardError.write(Data("WebPPixels: \(error)\n".utf8))
    exit(1)
}
