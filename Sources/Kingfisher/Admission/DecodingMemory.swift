import Foundation
import KingfisherImage

extension ImageCodecs {
    /// The maximum number of bytes for decoding a file to `target`, estimated from its header; 0 if no
    /// registered codec reads the file. Without a target, a file that can be decoded at any size has the size
    /// for `scale`.
    static func decodingMemory(of data: Data, target: PixelSize? = nil, scale: Double = 1) -> Int {
        guard let codec = codec(for: data) else { return 0 }
        let isScaled = target == nil && codec.capabilities.contains(.decodesAnySize)
        let target = isScaled ? (try? codec.header(of: data))?.scaled(by: scale) : target
        let bytes = try? codec.decodingMemory(of: data, target: target)
        // Codecs of users may return any value; sums of it must not overflow.
        return min(max(bytes ?? 0, 0), .max / 16)
    }
}

extension KingfisherParsedOptionsInfo {
    func processingMemory(for item: ImageProcessItem) -> Int {
        switch item {
        case .image(let image): image.cacheCost
        case .data(let data): decodingContext.run { processingMemory(forFile: data) }
        }
    }

    private func processingMemory(forFile data: Data) -> Int {
        guard let header = data.imageHeader() else {
            // Without a header there is only the codec's estimate: a partial file is not decoded for this.
            let decoding = acceptsPartialImages ? ImageCodecs.decodingMemory(of: data, scale: scaleFactor) : 0
            return processor.identifier.isEmpty ? decoding : 2 * decoding
        }
        let stages = processor.stages(decoding: data)
        let reducing = (stages.first ?? processor) as? any ReducingImageProcessor
        let target = reducing?.decodedSize(of: header.largestSize, options: self)
        if let target, target.isEmpty { return 0 }
        let decoding =
            ImageCodecs.decodingMemory(of: data, target: target, scale: scaleFactor) + preloadedMemory(header)
        // Further processors hold two images: their input and their output.
        let isDecodedOnly = stages.count <= 1 && (reducing != nil || processor.identifier.isEmpty)
        return isDecodedOnly ? decoding : 2 * decoding
    }

    private func preloadedMemory(_ header: ImageHeader) -> Int {
        guard preloadAllAnimationData, !onlyLoadFirstFrame, header.frameCount > 1 else { return 0 }
        let frames = header.size.area.multipliedReportingOverflow(by: 4 * header.frameCount)
        return frames.overflow
            ? ImageLimits.maximumFrameBytes : min(frames.partialValue, ImageLimits.maximumFrameBytes)
    }
}
