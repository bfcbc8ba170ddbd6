package import Foundation

extension JPEGCodec {
    package func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try data.reading { reader throws(ImageCodecError) in
            let frame = try JPEGFrameHeader(scanning: reader)
            try ImageLimits.check(frame.size)
            let scale = target.map { target in
                JPEGScale(
                    shrinking: frame.size, to: frame.orientation.swapsSides ? target.swapped : target,
                    isProgressive: frame.isProgressive)
            }
            let size = scale?.applied(to: frame.size) ?? frame.size
            let pixels = PixelBuffer.byteCount(
                of: size, format: frame.components == 1 ? .gray8 : .rgba8Opaque)
            // For a progressive file libjpeg holds all coefficients, two bytes each, at any output size.
            let coefficients = frame.isProgressive ? 2 * frame.components * frame.size.area : 0
            let section =
                !frame.isProgressive && data.count >= JPEGBaselineDecoder.minimumScanBytes
                ? JPEGBaselineDecoder.workingBytes(
                    width: frame.size.width, blocks: frame.components * frame.size.area / 64) : 0
            // Orientation or further shrinking creates a second image.
            let isRemade = frame.orientation != .up || target != nil
            return pixels * (isRemade ? 2 : 1) + coefficients + section
        }
    }
}
