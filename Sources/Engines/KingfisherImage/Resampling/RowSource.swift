/// 8-bit rows that a filter reads from the first to the last.
protocol RowSource {
    var size: PixelSize { get }
    /// The part of the size that the image fills.
    var extent: PixelExtent { get }
    var format: PixelFormat { get }

    /// Rows for the filter, valid until the next call. A range neither begins nor ends before the one before.
    func rows(_ range: Range<Int>) -> [UnsafePointer<UInt8>]
}

extension PixelBuffer: RowSource {
    func rows(_ range: Range<Int>) -> [UnsafePointer<UInt8>] {
        let base = UnsafePointer(unsafeBase.assumingMemoryBound(to: UInt8.self))
        return range.map { base + $0 * bytesPerRow }
    }
}
