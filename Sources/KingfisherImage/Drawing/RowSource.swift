/// 8-bit rows that a filter reads once, from the first to the last.
protocol RowSource {
    var size: PixelSize { get }
    /// The part of the size that the image fills.
    var extent: PixelExtent { get }
    var format: PixelFormat { get }
    var bytesPerRow: Int { get }

    /// At most four rows that follow those returned before, the first a multiple of four. Valid until the
    /// next call.
    func rows(_ range: Range<Int>) -> UnsafePointer<UInt8>
}

extension PixelBuffer: RowSource {
    func rows(_ range: Range<Int>) -> UnsafePointer<UInt8> {
        UnsafePointer(unsafeBase.assumingMemoryBound(to: UInt8.self)) + range.lowerBound * bytesPerRow
    }
}
