import CSystem
import Foundation
import Kingfisher
import KingfisherIsolation

/// The work of `thumb-alone` in a decoder process, with the CPU time of both processes.
///
/// The decoder is found beside this program, or by `KINGFISHER_DECODER`.
final class IsolatedThumb: Workload {
    /// Two copies, used in turns: a decoder keeps the file that it had last.
    private let files: [Data]
    private var round = 0
    private let size: CGSize
    private let pool: DecoderPool
    private let context: DecodingContext

    /// `uses` is after how many images the process is replaced; by default it stays.
    init(path: String, side: String?, uses: String?) throws {
        guard let side = side.flatMap({ Int($0) }) else {
            throw BenchmarkError("thumb-isolated FILE SIDE [USES]")
        }
        let url = URL(fileURLWithPath: path)
        files = [try Data(contentsOf: url), try Data(contentsOf: url)]
        size = CGSize(width: side, height: side)
        var settings = DecoderSettings()
        settings.maximumProcesses = 1
        settings.maximumFiles = uses.flatMap { Int($0) } ?? .max
        pool = DecoderPool(settings: settings)
        context = DecodingContext(
            strategy: DecoderIsolation(policy: .all, pool: pool), usesIdleCores: false)
    }

    func prepare() { round += 1 }

    /// Of the running process and of those that have ended.
    var timeOfOthers: Int64 {
        pool.processIdentifiers.reduce(kf_processor_time_of_ended()) { $0 + kf_processor_time_of($1) }
    }

    private func thumbnail() throws -> PixelBuffer {
        let image = try context.run { try Image.downsample(files[round % 2], to: size, scale: 1) }
        guard let pixels = image.pixels else { throw BenchmarkError("not decoded") }
        return pixels
    }

    func run() throws -> Int {
        try thumbnail().width
    }

    func save(to path: String) throws {
        try thumbnail().packedRGBA.write(to: URL(fileURLWithPath: path))
    }
}
