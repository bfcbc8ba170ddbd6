import Foundation

/// The usable part of an animated PNG that is truncated or has invalid animation chunks.
///
/// If at least two frames are complete, it is a complete file with these frames. Otherwise it is the default
/// image as a still, which may be truncated.
enum APNGPart {
    case animation(Data)
    case still(Data)

    /// What remains after the `error` of `APNGIndex`; nil for a file above a limit. Other corruption is found
    /// when the still is decoded.
    init?(_ reader: ByteReader, after error: ImageCodecError) {
        switch error {
        case .truncated:
            self = Self.frames(of: reader).map { .animation($0) } ?? .still(Self.defaultImage(of: reader))
        case .corrupt: self = .still(Self.defaultImage(of: reader))
        default: return nil
        }
    }

    private static func frames(of reader: ByteReader) -> Data? {
        var chunks = PNGChunks(reader)
        var controls: [Int] = []
        var animation: PNGChunk?
        while let chunk = try? chunks.next(), chunk.end <= reader.count {
            if chunk.type == .fcTL { controls.append(chunk.offset) }
            if chunk.type == .acTL { animation = chunk }
        }
        guard let animation, animation.length == 8, let end = controls.last, controls.count > 2,
            animation.end <= end
        else { return nil }
        var file = Data(reader.bytes[..<end])
        file.replaceSubrange(
            animation.data..<animation.data + 4, with: UInt32(controls.count - 1).bigEndianBytes)
        let checksum = file.withUnsafeBytes {
            PNGChecksum.of(UnsafeRawBufferPointer(rebasing: $0[animation.offset + 4..<animation.end - 4]))
        }
        file.replaceSubrange(animation.end - 4..<animation.end, with: checksum.bigEndianBytes)
        return file + PNGAssembly.end
    }

    private static func defaultImage(of reader: ByteReader) -> Data {
        var file = Data(PNGCodec.signature)
        var chunks = PNGChunks(reader)
        while let chunk = try? chunks.next() {
            if ![.acTL, .fcTL, .fdAT].contains(chunk.type) {
                file.append(contentsOf: reader.bytes[chunk.offset..<min(chunk.end, reader.count)])
            }
            if chunk.end > reader.count || chunk.type == .IEND { break }
        }
        return file
    }
}
