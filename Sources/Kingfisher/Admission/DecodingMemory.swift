import Foundation
import KingfisherImage

extension ImageCodecs {
    /// Bytes of memory that decoding a file to `target` takes at most, as far as its header tells; 0 for a
    /// file that no registered codec reads.
    static func decodingMemory(of data: Data, target: PixelSize? = nil) -> Int {
        let bytes = try? codec(for: data)?.decodingMemory(of: data, target: target)
        // Codecs from outside may say anything; sums of this must not overflow.
        return min(max(bytes ?? 0, 0), .max / 16)
    }
}

extension KingfisherParsedOptionsInfo {
    /// Bytes of memory that processing `item` takes at most, as far as its header tells; 0 for a file that no
    /// registered codec reads.
    func processingMemory(for item: ImageProcessItem) -> Int {
        switch item {
        case .image(let image): image.cacheCost
        case .data(let data): decodingContext.run { processingMemory(forFile: data) }
        }
    }

    private func processingMemory(forFile data: Data) -> Int {
        guard let header = data.imageHeader() else {
            // What arrived of a file is not decoded to find out.
            let decoding = acceptsPartialImages ? ImageCodecs.decodingMemory(of: data) : 0
            return processor.identifier.isEmpty ? decoding : 2 * decoding
        }
        let stages = processor.stages(decoding: data)
        let reducing = (stages.first ?? processor) as? any ReducingImageProcessor
        let target = reducing?.decodedSize(of: header.displaySize, options: self)
        if let target, target.isEmpty { return 0 }
        let decoding = ImageCodecs.decodingMemory(of: data, target: target) + preloadedMemory(header)
        // Further stages read one image and write another.
        let isDecodedOnly = stages.count <= 1 && (reducing != nil || processor.identifier.isEmpty)
        return isDecodedOnly ? decoding : 2 * decoding
    }

    /// Bytes of all frames of an animation, where they are decoded beforehand.
    private func preloadedMemory(_ header: ImageHeader) -> Int {
        guard preloadAllAnimationData, !onlyLoadFirstFrame, header.frameCount > 1 else { return 0 }
        let frames = header.size.area.multipliedReportingOverflow(by: 4 * header.frameCount)
        return frames.overflow
            ? ImageLimits.maximumFrameBytes : min(frames.partialValue, ImageLimits.maximumFrameBytes)
    }
}
