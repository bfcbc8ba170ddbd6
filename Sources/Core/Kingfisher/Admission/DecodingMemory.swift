import Foundation
import KingfisherImage

extension ImageCodecs {
    /// The maximum number of bytes for decoding a file to `target`, estimated from its header; 0 if no
    /// registered codec reads the file. Without a target, a file that can be decoded at any size has the size
    /// for `scale`.
    static func decodingMemory(
        of data: Data, target: PixelSize? = nil, scale: Double = 1, acceptsPartialImages: Bool = false
    ) -> Int {
        guard let file = try? open(data, acceptsPartialImages: acceptsPartialImages) else { return 0 }
        let isScaled = target == nil && file.codec.capabilities.contains(.decodesAnySize)
        let size = isScaled ? file.header.scaled(by: scale) : target
        let bytes = file.decoder.memory(for: size.map { .exactly($0) } ?? .full)
        // Codecs of users may return any value; sums of it must not overflow.
        return min(max(bytes, 0), .max / 16)
    }
}

extension KingfisherParsedOptionsInfo {
    func processingMemory(for item: ImageProcessItem) -> Int {
        switch item {
        case .image(let image): image.cacheCost
        case .data(let data): self.decodingContext.run { processingMemory(forFile: data) }
        }
    }

    private func processingMemory(forFile data: Data) -> Int {
        guard let header = data.imageHeader(acceptsPartialImages: self.acceptsPartialImages) else { return 0 }
        let stages = processor.stages(decoding: data)
        let reducing = (stages.first ?? processor) as? any ReducingImageProcessor
        let target = reducing?.decodedSize(of: header.largestSize, options: self)
        if let target, target.isEmpty { return 0 }
        let decoding =
            ImageCodecs.decodingMemory(
                of: data, target: target, scale: self.scaleFactor,
                acceptsPartialImages: self.acceptsPartialImages)
            + preloadedMemory(header) + resultMemory(header, of: reducing)
        // Further processors hold two images: their input and their output.
        let isDecodedOnly = stages.count <= 1 && (reducing != nil || processor.identifier.isEmpty)
        return isDecodedOnly ? decoding : 2 * decoding
    }

    private func resultMemory(_ header: ImageHeader, of processor: (any ReducingImageProcessor)?) -> Int {
        guard let size = processor?.resultSize(of: header.largestSize, options: self) else { return 0 }
        let bytes = size.area.multipliedReportingOverflow(by: bytesPerPixel(header))
        return bytes.overflow
            ? ImageLimits.maximumFrameBytes : min(bytes.partialValue, ImageLimits.maximumFrameBytes)
    }

    private func bytesPerPixel(_ header: ImageHeader) -> Int { header.bitsPerComponent > 8 ? 8 : 4 }

    private func preloadedMemory(_ header: ImageHeader) -> Int {
        guard self.preloadAllAnimationData, !self.onlyLoadFirstFrame, header.frameCount > 1 else { return 0 }
        let frames = header.size.area.multipliedReportingOverflow(
            by: bytesPerPixel(header) * header.frameCount)
        return frames.overflow
            ? ImageLimits.maximumFrameBytes : min(frames.partialValue, ImageLimits.maximumFrameBytes)
    }
}
