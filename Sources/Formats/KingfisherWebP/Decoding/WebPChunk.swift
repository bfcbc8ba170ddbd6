import CWebP
import KingfisherCodecSupport

/// The position of a chunk's payload in the file.
struct WebPChunk: Hashable, Sendable {
    let offset: Int
    let count: Int

    init?(_ name: String, of demuxer: OpaquePointer, in file: ByteReader) {
        var iterator = WebPChunkIterator()
        guard WebPDemuxGetChunk(demuxer, name, 1, &iterator) != 0 else { return nil }
        defer { WebPDemuxReleaseChunkIterator(&iterator) }
        self.init(iterator.chunk, in: file)
    }

    init?(_ data: WebPData, in file: ByteReader) {
        guard let start = data.bytes, let base = file.bytes.baseAddress else { return nil }
        offset = UnsafeRawPointer(start) - base
        count = data.size
        guard reader(in: file) != nil else { return nil }
    }

    func reader(in file: ByteReader) -> ByteReader? {
        file.slice(at: offset, count: count)
    }
}
