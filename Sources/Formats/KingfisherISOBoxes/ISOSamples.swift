package import KingfisherCodecSupport

/// The samples of a track in the order of decoding, and when they are shown (`stbl`: ISO/IEC 14496-12, 8.5 to
/// 8.7).
package struct ISOSamples: Sendable {
    package struct Sample: Sendable {
        package var bytes: ByteReader
        /// Whether decoding can begin here.
        package var isSync = true
        /// The number among all samples in the order in which they are shown.
        package var place = 0
        fileprivate var time = 0
        fileprivate var duration = 0

        fileprivate init(_ bytes: ByteReader) { self.bytes = bytes }
    }

    package let samples: [Sample]
    /// For each place, the number of the sample that is shown.
    package let shown: [Int]
    /// How long each is shown, in order, in units of the track.
    package let durations: [Int]

    /// Throws `tooManyFrames` above the limit of `file`, and `truncated` if a sample ends after it.
    package init(_ track: ISOTrack, in file: ByteReader) throws(ImageCodecError) {
        guard let table = track.sampleTable, track.sampleCount > 0 else { throw .corrupt("no frames") }
        try file.limits.check(frames: track.sampleCount)
        var samples = try Self.pieces(track.sampleCount, by: table, of: file)
        Self.setTimes(&samples, by: table)
        if let table = table.box("stss") {
            let synced = Set((0..<Self.entries(in: table, of: 4)).compactMap { table.number(8 + 4 * $0) })
            for index in samples.indices { samples[index].isSync = synced.contains(index + 1) }
        }
        let times = samples.map(\.time)
        shown = samples.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        for (place, index) in shown.enumerated() { samples[index].place = place }
        durations =
            zip(shown, shown.dropFirst()).map { times[$1] - times[$0] }
            + shown.suffix(1).map { [samples] in samples[$0].duration }
        self.samples = samples
    }

    /// The last sample up to `index` with which decoding can begin.
    package func sync(before index: Int) -> Int { samples[...index].lastIndex { $0.isSync } ?? 0 }

    /// The entries of a table with their number in its first field, as far as it has them.
    private static func entries(in table: ByteReader?, of bytes: Int) -> Int {
        guard let table, let count = table.number(4) else { return 0 }
        return min(count, max(0, table.count - 8) / bytes)
    }

    /// Places by `stsc`, `stco` or `co64`, and sizes by `stsz`.
    private static func pieces(
        _ count: Int, by table: ByteReader, of file: ByteReader
    ) throws(ImageCodecError) -> [Sample] {
        let isLong = table.box("stco") == nil
        guard let sizes = table.box("stsz"), let common = sizes.number(4), let runs = table.box("stsc"),
            let chunks = table.box("stco") ?? table.box("co64")
        else { throw .corrupt("no table of frames") }
        var (found, run): ([Sample], Int) = ([], 0)
        let runCount = entries(in: runs, of: 12)
        for chunk in 0..<entries(in: chunks, of: isLong ? 8 : 4) where found.count < count {
            while run + 1 < runCount, let next = runs.number(8 + 12 * (run + 1)), next <= chunk + 1 {
                run += 1
            }
            guard run < runCount, let samples = runs.number(12 + 12 * run), runs.number(16 + 12 * run) == 1,
                var offset = isLong ? chunks.uint64(at: 8 + 8 * chunk) : chunks.number(8 + 4 * chunk)
            else { throw .unsupported("frames of several kinds in a sequence") }
            for _ in 0..<min(samples, count - found.count) {
                guard let size = common > 0 ? common : sizes.number(12 + 4 * found.count) else {
                    throw .corrupt("no table of frames")
                }
                guard let bytes = file.slice(at: offset, count: size) else { throw .truncated }
                found.append(Sample(bytes))
                offset += size
            }
        }
        guard found.count == count else { throw .corrupt("fewer frames than declared") }
        return found
    }

    /// Durations by `stts`, and the differences of the orders by `ctts`, which are signed in all files.
    private static func setTimes(_ samples: inout [Sample], by table: ByteReader) {
        var (index, time) = (0, 0)
        let durations = table.box("stts")
        for entry in 0..<entries(in: durations, of: 8) {
            guard let durations, let count = durations.number(8 + 8 * entry),
                let duration = durations.number(12 + 8 * entry)
            else { break }
            for _ in 0..<min(count, samples.count - index) {
                (samples[index].time, samples[index].duration) = (time, duration)
                (time, index) = (time + duration, index + 1)
            }
        }
        // Samples without a time keep their order.
        for rest in index..<samples.count { samples[rest].time = time }
        let offsets = table.box("ctts")
        index = 0
        for entry in 0..<entries(in: offsets, of: 8) {
            guard let offsets, let count = offsets.number(8 + 8 * entry),
                let offset = offsets.number(12 + 8 * entry)
            else { break }
            for _ in 0..<min(count, samples.count - index) {
                samples[index].time += Int(Int32(truncatingIfNeeded: offset))
                index += 1
            }
        }
    }
}

extension ByteReader {
    fileprivate func number(_ offset: Int) -> Int? { uint32(at: offset, bigEndian: true) }
}
