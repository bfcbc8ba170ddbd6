import Foundation

/// What can be shown of an animated PNG that ends early, or whose chunks of the animation break the rules.
enum APNGPart {
    /// The complete frames, at least two, as a file that is whole.
    case animation(Data)
    /// The default image as a still, which may end early.
    case still(Data)

    /// Nil for a file that is whole, and for one above a limit. A file that is corrupt in any other way is so
    /// as a still, too.
    init?(_ reader: ByteReader) {
        do throws(ImageCodecError) {
            _ = try APNGIndex(scanning: reader)
            return nil
        } catch .truncated {
            self = Self.frames(of: reader).map { .animation($0) } ?? .still(Self.defaultImage(of: reader))
        } catch .corrupt {
            self = .still(Self.defaultImage(of: reader))
        } catch {
            return nil
        }
    }

    /// The file as far as the last fcTL chunk, in front of which frames are complete.
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

    /// The file without the chunks that say something of frames.
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
