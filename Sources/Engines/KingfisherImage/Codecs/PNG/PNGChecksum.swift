import CISAL

enum PNGChecksum {
    static func check(_ chunk: PNGChunk, in reader: ByteReader) throws(ImageCodecError) {
        guard let covered = reader.slice(at: chunk.offset + 4, count: chunk.length + 4),
            let stored = reader.uint32(at: chunk.end - 4, bigEndian: true)
        else { throw .truncated }
        guard stored == Int(of(covered.bytes)) else { throw .corrupt("a chunk with a wrong checksum") }
    }

    /// Whether the chunk counts: not if it is expendable and its checksum is wrong. Throws for other chunks
    /// with a wrong checksum, and for a truncated one.
    static func counts(_ chunk: PNGChunk, in reader: ByteReader) throws(ImageCodecError) -> Bool {
        do throws(ImageCodecError) {
            try check(chunk, in: reader)
            return true
        } catch {
            guard error != .truncated, chunk.type.isExpendable else { throw error }
            return false
        }
    }

    static func of(_ bytes: UnsafeRawBufferPointer, after start: UInt32 = 0) -> UInt32 {
        guard let first = bytes.bindMemory(to: UInt8.self).baseAddress else { return start }
        return crc32_gzip_refl(start, first, UInt64(bytes.count))
    }
}
