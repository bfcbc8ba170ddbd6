import Foundation
import Glibc
import Kingfisher
import KingfisherIsolation

/// The work of `thumb-alone` in a decoder process, with the CPU time of both processes.
///
/// The decoder is found beside this program, or by `KINGFISHER_DECODER`.
struct IsolatedThumb: Workload {
    private let data: Data
    private let size: CGSize
    private let pool: DecoderPool
    private let context: DecodingContext

    init(path: String, side: String?) throws {
        guard let side = side.flatMap({ Int($0) }) else { throw BenchmarkError("thumb-isolated FILE SIDE") }
        data = try Data(contentsOf: URL(fileURLWithPath: path))
        size = CGSize(width: side, height: side)
        var settings = DecoderSettings()
        settings.maximumProcesses = 1
        pool = DecoderPool(settings: settings)
        context = DecodingContext(
            strategy: DecoderIsolation(policy: .all, pool: pool), usesIdleCores: false)
    }

    /// A decoder that is replaced during a run would distort the time of that run.
    func prepare() throws {
        _ = try pool.facts()
    }

    var timeOfOthers: UInt64 {
        pool.processIdentifiers.reduce(0) { sum, process in
            var (clock, time) = (clockid_t(), timespec())
            guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
                return sum
            }
            return sum + UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }

    private func thumbnail() throws -> PixelBuffer {
        let image = try context.run { try Image.downsample(data, to: size, scale: 1) }
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
