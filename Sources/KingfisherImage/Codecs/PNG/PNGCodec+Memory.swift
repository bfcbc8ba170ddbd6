package import Foundation

extension PNGCodec {
    package func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try data.reading { reader throws(ImageCodecError) in
            let file = try PNGFileHeader(scanning: reader)
            try ImageLimits.check(file.size)
            let orientation = PNGMetadata.orientation(in: reader)
            let stored = orientation.swapsSides ? target?.swapped : target
            let shrink =
                file.isInterlaced ? nil : stored.flatMap { RowShrink(file, minimumSize: $0.doubled) }
            // Buffers of the unfiltering; the plan counts samples of 8 bits.
            let rows = 2 * PNGRowPlan(file, group: shrink?.plan.boxHeight ?? 1).byteCount
            if let shrink { return rows + shrink.byteCount(rowsAtOnce: shrink.rowsAtOnce) }
            let pixels = PixelBuffer.byteCount(of: file.size, format: file.pixelFormat)
            // Orientation, or shrinking after decoding, creates a second image.
            return rows + pixels * (orientation == .up && target == nil ? 1 : 2)
        }
    }
}
