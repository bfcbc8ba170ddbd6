extension PixelBuffer {
    /// The image turned and mirrored from `orientation` to upright; itself for `.up`.
    ///
    /// The format is kept: pixels move, samples do not change.
    public func upright(from orientation: Image.Orientation) throws(ImageCodecError) -> PixelBuffer {
        if orientation == .up { return self }
        return switch format.bytesPerPixel {
        case 1: try moved(by: PixelTurn(orientation, of: size), as: UInt8.self)
        case 2: try moved(by: PixelTurn(orientation, of: size), as: UInt16.self)
        case 4: try moved(by: PixelTurn(orientation, of: size), as: UInt32.self)
        default: try moved(by: PixelTurn(orientation, of: size), as: UInt64.self)
        }
    }

    private func moved<Pixel>(
        by turn: PixelTurn, as type: Pixel.Type
    ) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(turn.size, format: format, extent: turn.extent(of: self)) {
            rows, rowLength in
            let stride = MemoryLayout<Pixel>.stride
            let stepX = turn.stepX.x * stride + turn.stepX.y * bytesPerRow
            let stepY = turn.stepY.x * stride + turn.stepY.y * bytesPerRow
            let origin = unsafeBase + turn.origin.x * stride + turn.origin.y * bytesPerRow
            // In tiles: one of the images is accessed along columns, which would miss the cache for each
            // pixel.
            let tile = 32
            for top in Swift.stride(from: 0, to: turn.size.height, by: tile) {
                for left in Swift.stride(from: 0, to: turn.size.width, by: tile) {
                    for y in top..<min(top + tile, turn.size.height) {
                        var from = origin + left * stepX + y * stepY
                        var to = rows + y * rowLength + left * stride
                        for _ in left..<min(left + tile, turn.size.width) {
                            to.storeBytes(of: from.load(as: Pixel.self), as: Pixel.self)
                            from += stepX
                            to += stride
                        }
                    }
                }
            }
        }
    }
}
