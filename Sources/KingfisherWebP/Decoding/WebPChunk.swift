import CWebP
import KingfisherCodecSupport

/// The payload of a chunk beside the images: where it lies in the file.
struct WebPChunk: Hashable, Sendable {
    let offset: Int
    let count: Int

    /// The first chunk of that name; nil without one.
    init?(_ name: String, of demuxer: OpaquePointer, in file: ByteReader) {
        var iterator = WebPChunkIterator()
        guard WebPDemuxGetChunk(demuxer, name, 1, &iterator) != 0 else { return nil }
        defer { WebPDemuxReleaseChunkIterator(&iterator) }
        self.init(iterator.chunk, in: file)
    }

    /// The place of `data`, which libwebpdemux found, in `file`.
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
