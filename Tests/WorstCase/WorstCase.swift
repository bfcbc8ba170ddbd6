import Foundation
import Kingfisher
import KingfisherFormats

/// Decodes one file; Siege/worst-case runs it in a separate process and measures it.
///
///     WorstCase full|small|frames FILE
///
/// Prints the peak memory above that at the start, in bytes, and the result: `400000000 10000x10000`, or
/// `1000000 refused: ` and the reason.
@main struct WorstCase {
    static func main() {
        guard CommandLine.arguments.count == 3,
            let file = try? Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[2]))
        else {
            FileHandle.standardError.write(Data("usage: WorstCase full|small|frames FILE\n".utf8))
            exit(2)
        }
        ImageCodecs.registerAll()
        let before = peakBytes
        let outcome = result(of: CommandLine.arguments[1], file)
        print(peakBytes - before, outcome)
    }

    private static func result(of mode: String, _ file: Data) -> String {
        let image: Image?
        if mode == "small" {
            image = KingfisherWrapper<Image>.downsampledImage(
                data: file, to: CGSize(width: 64, height: 64), scale: 1)
        } else {
            image = try? Image.decode(file)
        }
        guard let image else { return "refused: \(ImageCodecs.fault(in: file) ?? "no reason")" }
        var frames = 1
        if mode == "frames", let source = image.kf.frameSource {
            // Forwards, then back, to allocate all that a player or an encoder holds at the same time.
            for number in 0..<min(source.frameCount, 4) where source.frame(at: number) != nil { frames += 1 }
            _ = source.frame(at: 1)
        }
        return "\(image.pixels?.width ?? 0)x\(image.pixels?.height ?? 0), \(frames) frames"
    }

    /// The peak memory of the process so far (VmHWM).
    private static var peakBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) << 10
    }
}
