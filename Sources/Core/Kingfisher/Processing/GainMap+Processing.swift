public import Foundation
public import KingfisherImage

extension GainMap {
    /// The gain map for `image`, which `processor` has made of the file `original`, to be encoded by `codec`
    /// with the image (`ImageEncodingOptions.gainMap`); nil if the original has none.
    ///
    /// `processor` is nil if nothing was processed. The gain map is cropped, scaled and turned as the image
    /// was, and keeps its size in relation to it. Decodes and encodes it on the caller's thread.
    ///
    /// Throws the reason if the original has a gain map that the new file cannot have.
    public init?(
        of original: Data, for image: KFCrossPlatformImage, after processor: (any ImageProcessor)?,
        in codec: any ImageCodec
    ) throws(GainMapLoss) {
        guard let opened = try? ImageCodecs.open(original), let blocks = try? opened.decoder.metadata()
        else { return nil }
        guard let map = opened.codec.gainMap(in: original) else {
            if blocks.hasGainMap { throw .unreadable }
            return nil
        }
        let full = opened.header.displaySize
        let geometry = processor.map { $0.geometry(of: full) } ?? ImageGeometry(full)
        guard let geometry, geometry.size == image.kf.normalized.pixels?.size else { throw .processing }
        self = try map.changed(by: geometry, of: blocks, for: codec)
    }
}
