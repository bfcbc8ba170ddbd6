/// A codec of files whose parts can be decoded without the rest of the image.
package protocol RegionCodec: ImageCodec {
    /// What decodes the parts of a file; nil if it must be decoded as a whole. Reads headers only.
    ///
    /// The limits of the file apply to the header. The limits of the current context apply to pixels that are
    /// decoded later.
    func regions(of file: EncodedFile) throws(ImageCodecError) -> (any ImageRegions)?
}

/// The parts of one file, on demand.
///
/// Level n has the size of the file divided by 2 to the power of n, rounded up. Pixels are sRGB, and not
/// turned upright. Safe from any thread; parts are decoded at the same time.
package protocol ImageRegions: Sendable {
    var header: ImageHeader { get }

    /// The last level that is decoded from the file.
    var deepestLevel: Int { get }

    /// Decodes the whole image. The first call also finds out where the parts are.
    ///
    /// Returns nil for a file that must be decoded by its codec after all, whose verdict counts.
    func whole(level: Int) throws(ImageCodecError) -> PixelBuffer?

    /// Decodes an area of a level, after the first call of `whole`. The pixels are equal to those of `whole`.
    func part(_ area: PixelArea, level: Int) throws(ImageCodecError) -> PixelBuffer
}

extension PixelSize {
    /// The size of a level.
    package func level(_ level: Int) -> PixelSize {
        let mask = (1 << level) - 1
        return PixelSize(width: (width + mask) >> level, height: (height + mask) >> level)
    }
}

extension PixelArea {
    /// The stored pixels of an area of the upright image.
    ///
    /// - Parameter stored: The size of the image as stored.
    package func stored(from orientation: Image.Orientation, of stored: PixelSize) -> PixelArea {
        let turn = PixelTurn(orientation, of: stored)
        func place(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
            (
                turn.origin.x + x * turn.stepX.x + y * turn.stepY.x,
                turn.origin.y + x * turn.stepX.y + y * turn.stepY.y
            )
        }
        let (first, last) = (place(x, y), place(x + size.width - 1, y + size.height - 1))
        return PixelArea(
            x: min(first.x, last.x), y: min(first.y, last.y),
            size: orientation.swapsSides ? size.swapped : size)
    }
}
