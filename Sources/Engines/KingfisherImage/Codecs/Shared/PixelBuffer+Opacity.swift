extension PixelBuffer {
    package var isEntirelyOpaque: Bool {
        if format.isOpaque { return true }
        let channels = format.layout.channels
        return withUnsafeBytes { bytes in
            (0..<height).allSatisfy { y in
                let row = UnsafeRawBufferPointer(
                    rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + width * format.bytesPerPixel])
                return switch format.depth {
                case .eight: Self.isOpaque(row.bindMemory(to: UInt8.self), channels: channels)
                case .sixteen: Self.isOpaque(row.bindMemory(to: UInt16.self), channels: channels)
                }
            }
        }
    }

    private static func isOpaque<Sample: FixedWidthInteger>(
        _ row: UnsafeBufferPointer<Sample>, channels: Int
    ) -> Bool {
        var alpha = Sample.max
        var index = channels &- 1
        while index < row.count {
            alpha &= row[index]
            index &+= channels
        }
        return alpha == .max
    }
}
