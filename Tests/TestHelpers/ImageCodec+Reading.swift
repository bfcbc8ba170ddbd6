public import Foundation
public import KingfisherImage

/// Questions that tests ask about a file, each with a decoder of its own.
extension ImageCodec {
    public func header(
        of data: Data, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> ImageHeader {
        try opened(data, acceptsPartialImages).header
    }

    public func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> PixelBuffer {
        try opened(data, acceptsPartialImages).decode(minimumSize.map { .atLeast($0) } ?? .full)
    }

    public func decode(
        _ data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> PixelBuffer {
        try opened(data, acceptsPartialImages).decode(.exactly(target))
    }

    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try opened(data, true).memory(for: target.map { .exactly($0) } ?? .full)
    }

    public func frameSource(
        for data: Data, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> (any ImageFrameSource)? {
        try opened(data, acceptsPartialImages).frames()
    }

    public func metadataBlocks(of data: Data) throws(ImageCodecError) -> ImageMetadataBlocks {
        try opened(data, false).metadata()
    }

    /// Whether the file is truncated, also if it has no complete header.
    public func endsEarly(_ data: Data) -> Bool {
        do throws(ImageCodecError) {
            return try opened(data, true).endsEarly
        } catch {
            return error == .truncated
        }
    }

    /// The error of a decode; nil if it succeeds.
    public func failure(of data: Data) -> ImageCodecError? {
        do throws(ImageCodecError) {
            _ = try decode(data, minimumSize: nil)
            return nil
        } catch {
            return error
        }
    }

    private func opened(
        _ data: Data, _ acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> any ImageDecoder {
        try open(EncodedFile(data, acceptsPartialImages: acceptsPartialImages))
    }
}
